#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

void pass_check(FakeAgent& fake) {
    fake.host.readiness = Readiness::passed;
    ++fake.host.checks;
}

void want_of_group(CoordinatorHarness& harness, const std::string& task, const std::string& group) {
    WantedTask wanted = CoordinatorHarness::wanted(task, 1);
    wanted.place.group = group;
    harness.ask(ApplyRequest{.tasks = {wanted}}, harness.fresh_id());
    harness.pass(2s);
}

std::string warm(CoordinatorHarness& harness) {
    std::string keys;
    for (const auto* name : {"n1", "n2", "n3", "n4"}) {
        const std::string key = harness.node(name).warm;
        keys += key.empty() ? "-" : key;
    }
    return keys;
}

std::uint32_t warm_nodes(CoordinatorHarness& harness, const std::string& group) {
    return harness.read<GroupShowReply>(GroupShowRequest{group}).group.warm;
}

}  // namespace

// Goal: the whole life of nodes in one story: readiness, loss, affinity, suspension.
// Method: four nodes; each step comes before its checks.
TEST_CASE("four nodes join, work, fall silent, fail and return", "[coordinator][nodes][SC-11]") {
    CoordinatorHarness harness;
    for (const auto* name : {"n1", "n2", "n3", "n4"}) {
        harness.add(name).host.readiness = Readiness::pending;
        harness.send_hello(harness[name]);
    }
    FakeAgent& n1 = harness["n1"];
    FakeAgent& n2 = harness["n2"];
    FakeAgent& n3 = harness["n3"];
    harness.pass(1s);
    CHECK(harness.status().serving == 0);

    pass_check(n1);
    harness.pass(1s);
    CHECK(harness.status().serving == 1);
    CHECK(harness.status().health.unready == 3);

    n2.answers = false;
    harness.pass(4s);
    CHECK(harness.node("n2").health == "lost");
    pass_check(n2);
    harness.pass(2s);
    CHECK(harness.node("n2").health == "lost");

    n2.answers = true;
    pass_check(n3);
    pass_check(harness["n4"]);
    harness.pass(2s);
    CHECK(harness.status().serving == 4);
    CHECK(harness.status().free == 4);
    CHECK(warm(harness) == "----");

    want_of_group(harness, "a1", "a");
    want_of_group(harness, "a2", "a");
    want_of_group(harness, "b1", "b");
    CHECK(warm(harness) == "aab-");
    CHECK(harness.status().busy == 3);

    harness.ask(TaskRemoveRequest{"a1"}, harness.fresh_id());
    harness.pass(2s);
    CHECK(harness.node("n1").idle);
    CHECK(warm(harness) == "aab-");

    harness.ask(NodeOfflineRequest{"n4"}, harness.fresh_id());  // So that B is placed on n1.
    want_of_group(harness, "b2", "b");
    harness.ask(NodeOnlineRequest{"n4"}, harness.fresh_id());
    REQUIRE(n1.instances.size() == 1);
    CHECK(warm(harness) == "bab-");
    CHECK(warm_nodes(harness, "a") == 1);
    CHECK(warm_nodes(harness, "b") == 2);

    n1.host.spawn_failing = true;  // The host cannot create processes.
    harness.pass(5s);
    CHECK(harness.node("n1").health == "flaky");
    n1.host.spawn_failing = false;
    n2.answers = false;
    n3.answers = false;
    harness.pass(5s);
    CHECK(harness.node("n2").health == "lost");
    CHECK(harness.node("n3").health == "lost");
    CHECK(harness.status().serving == 1);

    n3.answers = true;
    harness.pass(2s);
    CHECK(harness.node("n3").health == "healthy");
    CHECK(harness.status().serving == 2);

    harness.pass(30s);
    CHECK(harness.node("n1").health == "unready");
    pass_check(n1);
    harness.pass(1s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().serving == 3);
    CHECK(harness.status().nodes == 4);
}

// Goal: an intent neither shortens a suspension nor counts as work.
// Method: offline and online during the suspension.
TEST_CASE("a flaky node that was offline and is online again stays suspended to the end",
          "[coordinator][nodes][SC-D6]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.host.spawn_failing = true;
    harness.pass(5s);
    REQUIRE(harness.node("n1").health == "flaky");
    n1.host.spawn_failing = false;
    harness.ask(NodeOfflineRequest{"n1"}, harness.fresh_id());
    harness.pass(5s);
    CHECK(harness.node("n1").intent == "offline");
    CHECK(harness.node("n1").health == "flaky");
    harness.ask(NodeOnlineRequest{"n1"}, harness.fresh_id());
    for (int round = 0; round < 18; ++round) {
        harness.pass(1s);
        REQUIRE(harness.node("n1").health == "flaky");
        REQUIRE(harness.node("n1").intent == "active");
        REQUIRE(harness.status().serving == 0);
        REQUIRE(harness.status().free == 0);
    }
    harness.pass(10s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().serving == 1);
}
