#include "coordinator/core/nodes/lifecycle.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/unit/coordinator/core/coordinator_bench_top.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::BenchTop;
using muster::coordinator::testing::Puppet;

namespace {

std::string words_of(const FactChange& sets) {
    std::string words;
    const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
    const auto fact = [&](const std::optional<bool>& to, const std::string& yes,
                          const std::string& no) {
        if (to) {
            add(*to ? yes : no);
        }
    };
    fact(sets.lost, "lost", "not lost");
    fact(sets.gone, "left", "not left");
    fact(sets.able, "able", "not able");
    fact(sets.penalty, "suspended", "not suspended");
    fact(sets.ahead, "ahead", "not ahead");
    if (sets.admission) {
        add(*sets.admission == Admission::listed ? "listed" : "removed");
    }
    if (sets.intent) {
        add("intent " + std::string{to_string(*sets.intent)});
    }
    return words;
}

std::string line_of(const Transition& row) {
    std::string line = "| `node." + std::string{row.name} + "` |";
    for (const std::string& cell : {std::string{row.from}, std::string{row.under},
                                    words_of(row.sets), std::string{row.meaning}}) {
        line += cell.empty() ? " |" : " " + cell + " |";
    }
    return line;
}

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
                node.penalty_until = Instant{1s};
            }
            node.intent = intent;
            all.push_back(node);
        }
    }
    return all;
}

}  // namespace

// Goal: what people read is what the code does.
// Method: look for each row as a line of the page.
TEST_CASE("the table of a node's life is the one in the documentation", "[nodes][lifecycle]") {
    std::ifstream file{std::string{MUSTER_SOURCE_DIR} + "/docs/internals/architecture.md"};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    std::set<std::string_view> names;
    for (const Transition& row : transitions()) {
        CHECK_THAT(page, Catch::Contains(line_of(row) + "\n"));
        CHECK(&transition_of(row.change) == &row);
        names.insert(row.name);
    }
    CHECK(names.size() == node_changes);
}

// Goal: health and intent do not depend on each other.
// Method: every change that the table has, for every combination of facts.
TEST_CASE("no change of health touches the intent, and none of intent the health",
          "[nodes][lifecycle][SC-D1]") {
    std::size_t happened = 0;
    for (const Node& before : every_node()) {
        for (const Transition& row : transitions()) {
            if (!may_happen(before, row.change)) {
                continue;
            }
            ++happened;
            Node after = before;
            const bool begins = row.sets.penalty.value_or(false);
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

// Goal: groups of nodes do not overlap, and none is left out.
// Method: a random history of coming, going, silence and work; after each step count the groups.
TEST_CASE("a node has one health and one intent, and is idle or busy if it serves",
          "[coordinator][nodes][SC-D1][SC-D3]") {
    const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
    CAPTURE(seed);
    Random random{seed};
    BenchTop bench{BenchTop::empty_store(), {.loss = {.max_lost = 20s}, .version = "1.0"}};
    std::set<std::string> healths;
    for (int step = 0; step < 300; ++step) {
        const std::string name = "n" + std::to_string(random.below(6));
        if (!bench.puppets.contains(name)) {
            bench.join(name);
        }
        Puppet& puppet = bench[name];
        switch (random.below(5)) {
            case 0: puppet.answers = !puppet.answers; break;
            case 1: bench.give(FromAgent{puppet.session, Goodbye{puppet.incarnation}}); break;
            case 2: bench.want("web", static_cast<std::uint32_t>(random.below(5))); break;
            case 3:
                puppet.life = LifeId{bench.next_number++, 1};
                puppet.incarnation = next(puppet.incarnation);
                bench.say_hello(puppet);
                break;
            default: bench.say_hello(puppet); break;
        }
        bench.pass(std::chrono::milliseconds{random.below(3'000)});
        const StatusReply status = bench.status();
        const auto& [healthy, unready, flaky, lost] = status.health;
        const auto& [active, draining, offline] = status.intent;
        REQUIRE(healthy + unready + flaky + lost == status.nodes);
        REQUIRE(active + draining + offline == status.nodes);
        REQUIRE(status.free + status.busy == status.serving);
        REQUIRE(status.serving <= healthy);
        const auto list = bench.read<NodeListReply>(NodeListRequest{});
        REQUIRE(list.nodes.size() == status.nodes);
        for (const NodeView& node : list.nodes) {
            healths.insert(node.health);
            REQUIRE(node.idle == (node.instances == 0));
        }
    }
    CHECK(healths == std::set<std::string>{"healthy", "lost", "unready"});
}

// Goal: nothing comes of what was never there.
// Method: a goodbye, an answer and an acknowledgement by routes that said no hello, and the end of
// one of these routes.
TEST_CASE("what nobody knows cannot leave: it is counted, and no error",
          "[coordinator][nodes][SC-02][SC-D8]") {
    BenchTop bench;
    bench.join("n1");
    bench.pass(1s);
    const std::size_t events = bench.events.size();
    const Output left = bench.give(FromAgent{Session{900}, Goodbye{Incarnation{1}}});
    CHECK(left.messages.empty());
    bench.give(SessionClosed{Session{900}});
    CHECK(bench.status().unknown_senders == 1);
    bench.give(FromAgent{Session{901}, Ack{}});
    bench.give(FromAgent{Session{901}, Report{}});
    CHECK(bench.status().unknown_senders == 3);
    CHECK(bench.events.size() == events);
    CHECK(bench.status().nodes == 1);
    CHECK(bench.status().serving == 1);
}

// Goal: idle and busy follow from the reports.
// Method: a task comes and goes.
TEST_CASE("a node is busy while its reports have an instance, and idle without",
          "[coordinator][nodes][SC-01][SC-09]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.pass(1s);
    CHECK(bench.node("n1").idle);
    CHECK(bench.status().free == 1);
    bench.want("web", 1);
    bench.pass(1s);
    CHECK_FALSE(bench.node("n1").idle);
    CHECK(bench.status().busy == 1);
    CHECK(bench.status().free == 0);
    bench.ask(TaskRemoveRequest{"web"}, bench.fresh_id());
    bench.pass(1s);
    REQUIRE(n1.instances.empty());
    CHECK(bench.node("n1").idle);
    CHECK(bench.status().free == 1);
    CHECK(bench.status().busy == 0);
}

// Goal: every transition is told with its cause, and when it was.
// Method: one node joins, falls silent and returns in a new life.
TEST_CASE("each change of a node is an event with its cause", "[coordinator][nodes][lifecycle]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.pass(2s);
    const CivilMs before = bench.node("n1").since;
    n1.answers = false;
    bench.pass(5s);
    REQUIRE(bench.node("n1").health == "lost");
    CHECK(bench.node("n1").since > before);
    n1.answers = true;
    n1.life = LifeId{77, 77};
    n1.incarnation = Incarnation{2};
    bench.say_hello(n1);
    bench.pass(1s);
    std::vector<std::string> told;
    for (const Event& event : bench.events) {
        if (event.name == "n1") {
            told.push_back(event.topic + ": " + event.detail);
        }
    }
    CHECK(told ==
          std::vector<std::string>{"node.joined: version 1.0", "node.ready: no check is asked for",
                                   "node.lost: silent for 3 polls", "node.restarted: incarnation 2",
                                   "node.returned: answered", "node.ready: no check is asked for"});
}
