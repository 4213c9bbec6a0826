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

void want_of_group(CoordinatorHarness& bench, const std::string& task, const std::string& group) {
    WantedTask wanted = CoordinatorHarness::wanted(task, 1);
    wanted.place.group = group;
    bench.ask(ApplyRequest{.tasks = {wanted}}, bench.fresh_id());
    bench.pass(2s);
}

std::string warm(CoordinatorHarness& bench) {
    std::string keys;
    for (const auto* name : {"n1", "n2", "n3", "n4"}) {
        const std::string key = bench.node(name).warm;
        keys += key.empty() ? "-" : key;
    }
    return keys;
}

std::uint32_t warm_nodes(CoordinatorHarness& bench, const std::string& group) {
    return bench.read<GroupShowReply>(GroupShowRequest{group}).group.warm;
}

}  // namespace

// Goal: the whole life of nodes in one story: readiness, loss, affinity, suspension.
// Method: four nodes; each step comes before its checks.
TEST_CASE("four nodes join, work, fall silent, fail and return", "[coordinator][nodes][SC-11]") {
    CoordinatorHarness bench;
    for (const auto* name : {"n1", "n2", "n3", "n4"}) {
        bench.add(name).host.readiness = Readiness::pending;
        bench.send_hello(bench[name]);
    }
    FakeAgent& n1 = bench["n1"];
    FakeAgent& n2 = bench["n2"];
    FakeAgent& n3 = bench["n3"];
    bench.pass(1s);
    CHECK(bench.status().serving == 0);

    pass_check(n1);
    bench.pass(1s);
    CHECK(bench.status().serving == 1);
    CHECK(bench.status().health.unready == 3);

    n2.answers = false;
    bench.pass(4s);
    CHECK(bench.node("n2").health == "lost");
    pass_check(n2);
    bench.pass(2s);
    CHECK(bench.node("n2").health == "lost");

    n2.answers = true;
    pass_check(n3);
    pass_check(bench["n4"]);
    bench.pass(2s);
    CHECK(bench.status().serving == 4);
    CHECK(bench.status().free == 4);
    CHECK(warm(bench) == "----");

    want_of_group(bench, "a1", "a");
    want_of_group(bench, "a2", "a");
    want_of_group(bench, "b1", "b");
    CHECK(warm(bench) == "aab-");
    CHECK(bench.status().busy == 3);

    bench.ask(TaskRemoveRequest{"a1"}, bench.fresh_id());
    bench.pass(2s);
    CHECK(bench.node("n1").idle);
    CHECK(warm(bench) == "aab-");

    bench.ask(NodeOfflineRequest{"n4"}, bench.fresh_id());  // So that B is placed on n1.
    want_of_group(bench, "b2", "b");
    bench.ask(NodeOnlineRequest{"n4"}, bench.fresh_id());
    REQUIRE(n1.instances.size() == 1);
    CHECK(warm(bench) == "bab-");
    CHECK(warm_nodes(bench, "a") == 1);
    CHECK(warm_nodes(bench, "b") == 2);

    n1.host.spawn_failing = true;  // The host cannot create processes.
    bench.pass(5s);
    CHECK(bench.node("n1").health == "flaky");
    n1.host.spawn_failing = false;
    n2.answers = false;
    n3.answers = false;
    bench.pass(5s);
    CHECK(bench.node("n2").health == "lost");
    CHECK(bench.node("n3").health == "lost");
    CHECK(bench.status().serving == 1);

    n3.answers = true;
    bench.pass(2s);
    CHECK(bench.node("n3").health == "healthy");
    CHECK(bench.status().serving == 2);

    bench.pass(30s);
    CHECK(bench.node("n1").health == "unready");
    pass_check(n1);
    bench.pass(1s);
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.status().serving == 3);
    CHECK(bench.status().nodes == 4);
}

// Goal: an intent neither shortens a suspension nor counts as work.
// Method: offline and online during the suspension.
TEST_CASE("a flaky node that was offline and is online again stays suspended to the end",
          "[coordinator][nodes][SC-D6]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.host.spawn_failing = true;
    bench.pass(5s);
    REQUIRE(bench.node("n1").health == "flaky");
    n1.host.spawn_failing = false;
    bench.ask(NodeOfflineRequest{"n1"}, bench.fresh_id());
    bench.pass(5s);
    CHECK(bench.node("n1").intent == "offline");
    CHECK(bench.node("n1").health == "flaky");
    bench.ask(NodeOnlineRequest{"n1"}, bench.fresh_id());
    for (int round = 0; round < 18; ++round) {
        bench.pass(1s);
        REQUIRE(bench.node("n1").health == "flaky");
        REQUIRE(bench.node("n1").intent == "active");
        REQUIRE(bench.status().serving == 0);
        REQUIRE(bench.status().free == 0);
    }
    bench.pass(10s);
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.status().serving == 1);
}
