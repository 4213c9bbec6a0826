#include "coordinator/core/nodes/lifecycle.hpp"

#include <set>
#include <string>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

/// Every combination of the facts.
std::vector<Node> every_node() {
    std::vector<Node> all;
    for (unsigned bits = 0; bits < 32; ++bits) {
        for (const Intent intent : {Intent::active, Intent::draining, Intent::offline}) {
            Node node;
            node.lost = (bits & 1U) != 0;
            node.gone = (bits & 2U) != 0;
            node.able = (bits & 4U) != 0;
            node.ahead = (bits & 8U) != 0;
            if ((bits & 16U) != 0) {
                node.suspended_until = Instant{1s};
            }
            node.intent = intent;
            all.push_back(node);
        }
    }
    return all;
}

}  // namespace

// Goal: health and intent do not depend on each other.
// Method: every transition of the table, for every combination of facts.
TEST_CASE("no change of health affects the intent, and none of intent the health",
          "[nodes][lifecycle][SC-D1]") {
    std::size_t happened = 0;
    for (const Node& before : every_node()) {
        for (const Transition& row : transitions()) {
            if (!may_happen(before, row.change)) {
                continue;
            }
            ++happened;
            Node after = before;
            const bool begins = row.sets.is_suspended.value_or(false);
            enter(after, row.change, begins ? std::optional{Instant{2s}} : std::nullopt);
            CAPTURE(row.name);
            CHECK((after.intent == before.intent || row.sets.intent.has_value()));
            if (row.sets.intent) {
                CHECK(health_of(after) == health_of(before));
                CHECK(after.intent == *row.sets.intent);
            }
            CHECK((!is_serving(after) ||
                   (health_of(after) == Health::healthy && after.intent == Intent::active)));
        }
    }
    CHECK(happened > 1'500);
}

// Goal: each node is in exactly one group.
// Method: a random history of joins, departures, silence and work; count the groups after each
// step.
TEST_CASE("a node has one health and one intent, and is idle or busy if it serves",
          "[coordinator][nodes][SC-D1][SC-D3]") {
    const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
    CAPTURE(seed);
    Random random{seed};
    CoordinatorHarness harness{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 20s}, .version = "1.0"}};
    std::set<std::string> healths;
    for (int step = 0; step < 300; ++step) {
        const std::string name = "n" + std::to_string(random.below(6));
        if (!harness.fakes.contains(name)) {
            harness.join(name);
        }
        FakeAgent& fake = harness[name];
        switch (random.below(5)) {
            case 0: fake.answers = !fake.answers; break;
            case 1: harness.give(FromAgent{fake.session, Departure{fake.incarnation}}); break;
            case 2: harness.want("web", static_cast<std::uint32_t>(random.below(5))); break;
            case 3:
                fake.life = LifeId{harness.next_number++, 1};
                fake.incarnation = next(fake.incarnation);
                harness.send_hello(fake);
                break;
            default: harness.send_hello(fake); break;
        }
        harness.pass(std::chrono::milliseconds{random.below(3'000)});
        const StatusReply status = harness.status();
        const auto& [healthy, unready, flaky, lost] = status.health;
        const auto& [active, draining, offline] = status.intent;
        REQUIRE(healthy + unready + flaky + status.silent + lost == status.nodes);
        REQUIRE(active + draining + offline == status.nodes);
        REQUIRE(status.free + status.busy == status.serving);
        REQUIRE(status.serving <= healthy);
        const auto list = harness.read<NodeListReply>(NodeListRequest{});
        REQUIRE(list.nodes.size() == status.nodes);
        for (const NodeView& node : list.nodes) {
            healths.insert(node.health);
            REQUIRE(node.idle == (node.instances == 0));
        }
    }
    CHECK(healths == std::set<std::string>{"healthy", "lost", "silent", "unready"});
}

// Goal: the next report decides what a lost node did, and its old state is gone.
// Method: one of two busy nodes is lost; it returns with its work, or without.
TEST_CASE("a lost node that returns is idle or busy as its report says",
          "[coordinator][nodes][SC-D3]") {
    const bool still_runs = GENERATE(true, false);
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    n1.answers = false;
    harness.pass(1min);
    REQUIRE(harness.node("n1").health == "lost");
    CHECK(harness.status().serving == 1);
    CHECK(harness.status().busy == 1);
    CHECK(harness.status().free == 0);

    if (!still_runs) {
        n1.instances.clear();
        n1.revision = next(n1.revision);
    }
    n1.answers = true;
    harness.pass(1s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().serving == 2);
    CHECK(harness.status().busy == (still_runs ? 2 : 1));
    CHECK(harness.status().free == (still_runs ? 0 : 1));
    CHECK(harness.node("n1").idle == !still_runs);
    harness.pass(3s);
    CHECK(n1.batches.size() == (still_runs ? 1 : 2));
    CHECK(n1.instances.size() == 1);
    CHECK(harness.status().running == 2);
    CHECK(harness.status().converged);
}

// Goal: messages of unknown senders have no effect.
// Method: a departure, an answer and an acknowledgement on routes without a hello, and the end of
// one of these routes.
TEST_CASE("a departure of an unknown sender is counted, and is not an error",
          "[coordinator][nodes][SC-02][SC-D8]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(1s);
    const std::size_t events = harness.events.size();
    const Output left = harness.give(FromAgent{Session{900}, Departure{Incarnation{1}}});
    CHECK(left.messages.empty());
    harness.give(SessionClosed{Session{900}});
    CHECK(harness.status().unknown_senders == 1);
    harness.give(FromAgent{Session{901}, Ack{}});
    harness.give(FromAgent{Session{901}, Report{}});
    CHECK(harness.status().unknown_senders == 3);
    CHECK(harness.events.size() == events);
    CHECK(harness.status().nodes == 1);
    CHECK(harness.status().serving == 1);
}

// Goal: a node without a check serves at once, has run nothing, and is not forgotten when silent.
// Method: it joins; later it does not answer any more.
TEST_CASE("a node that joins serves, idle and warm for nothing, and is lost once it is silent",
          "[coordinator][nodes][SC-01]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    StatusReply status = harness.status();
    CHECK(status.nodes == 1);
    CHECK(status.serving == 1);
    CHECK(status.free == 1);
    CHECK(status.health.healthy == 1);
    CHECK(harness.node("n1").idle);
    CHECK(harness.node("n1").warm.empty());

    n1.answers = false;
    harness.pass(10min);
    status = harness.status();
    CHECK(status.nodes == 1);
    CHECK(status.serving == 0);
    CHECK(status.free == 0);
    CHECK(status.lost == 1);
    CHECK(harness.node("n1").health == "lost");
    CHECK(harness.node("n1").intent == "active");
    CHECK(harness.happened("node.lost", "n1"));
    CHECK_FALSE(harness.happened("node.forgotten", "n1"));
}

// Goal: idle and busy follow from the reports.
// Method: a task is added and removed.
TEST_CASE("a node is busy while its reports have an instance, and idle without",
          "[coordinator][nodes][SC-01][SC-09]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    CHECK(harness.node("n1").idle);
    CHECK(harness.status().free == 1);
    harness.want("web", 1);
    harness.pass(1s);
    CHECK_FALSE(harness.node("n1").idle);
    CHECK(harness.status().busy == 1);
    CHECK(harness.status().free == 0);
    harness.ask(TaskRemoveRequest{"web"}, harness.fresh_id());
    harness.pass(1s);
    REQUIRE(n1.instances.empty());
    CHECK(harness.node("n1").idle);
    CHECK(harness.status().free == 1);
    CHECK(harness.status().busy == 0);
}

// Goal: every transition is published with its cause and time.
// Method: one node joins, falls silent and returns in a new life.
TEST_CASE("each change of a node is an event with its cause", "[coordinator][nodes][lifecycle]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    const CivilMs before = harness.node("n1").since;
    n1.answers = false;
    harness.pass(5s);
    REQUIRE(harness.node("n1").health == "lost");
    CHECK(harness.node("n1").since > before);
    n1.answers = true;
    n1.life = LifeId{77, 77};
    n1.incarnation = Incarnation{2};
    harness.send_hello(n1);
    harness.pass(1s);
    std::vector<std::string> reported;
    for (const Event& event : harness.events) {
        if (event.name == "n1") {
            reported.push_back(event.topic + ": " + event.detail);
        }
    }
    CHECK(reported ==
          std::vector<std::string>{"node.joined: version 1.0", "node.ready: no check is asked for",
                                   "node.lost: silent for 3 polls", "node.restarted: incarnation 2",
                                   "node.returned: answered", "node.ready: no check is asked for"});
}
