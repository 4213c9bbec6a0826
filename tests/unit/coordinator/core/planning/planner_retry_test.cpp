#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

using Lines = std::vector<std::string>;

/// A task of one instance on its first node.
struct OneTask : Fleet {
    explicit OneTask(std::uint32_t hosts) {
        add_hosts(hosts);
        want("web", 1);
        converge();
        trace.clear();
    }
    [[nodiscard]] TaskStatus status() { return planner.status(*workload.find("web")); }
    /// It fails on every node.
    void fail_everywhere() {
        for (const auto& [name, host] : hosts()) {
            if (host.runs.contains({"web", 0})) {
                fail(name, {"web", 0});
            }
        }
    }
    void converge_and_fail() {
        converge();
        fail_everywhere();
    }
};

}  // namespace

// Goal: a failure of one host does not end a service, and a failure of the task does not repeat for
// ever. Method: an instance fails on each of five nodes on which it is tried.
TEST_CASE("a failed instance is tried on two other nodes and then stays failed",
          "[planner][retry][SC-22]") {
    OneTask fleet{5};
    for (int tries = 0; tries < 5; ++tries) {
        fleet.converge_and_fail();
    }
    CHECK(fleet.trace == Lines{"stop web.0 n0 retry", "start web.0 n1 retry", "stop web.0 n1 retry",
                               "start web.0 n2 retry"});
    CHECK(fleet.round() == 0);
    CHECK(fleet.status().phase == TaskPhase::failed);
    CHECK(fleet.status().failed == 1);

    fleet.restart("web");
    REQUIRE(fleet.converge());
    CHECK(fleet.running("web") == 1);
    CHECK(fleet.status().phase == TaskPhase::converged);
    CHECK(fleet.violations.empty());
}

// Goal: an instance is not tried in two places at a time, because another may need the place.
// Method: the stop before a retry was lost, so its first node still has it.
TEST_CASE("if two copies both failed one is stopped", "[planner][retry]") {
    OneTask fleet{2};
    fleet.converge_and_fail();
    fleet.converge_and_fail();
    REQUIRE(fleet.trace == Lines{"stop web.0 n0 retry", "start web.0 n1 retry"});
    fleet.put("n0", "web", 0);
    fleet.fail("n0", {"web", 0});
    fleet.converge();
    CHECK(fleet.trace.at(2) == "stop web.0 n1 duplicate");
    CHECK(fleet.hosts().at("n0").runs.size() + fleet.hosts().at("n1").runs.size() == 1);
    CHECK(fleet.violations.empty());
}

// Goal: without another place it stays where it failed, visible, until there is one.
// Method: one node; then a second one joins.
TEST_CASE("an instance that failed waits for another node", "[planner][retry][SC-22]") {
    OneTask fleet{1};
    fleet.converge_and_fail();
    CHECK(fleet.next_round() == 0);
    CHECK(fleet.status().phase == TaskPhase::failed);
    fleet.add("n1");
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"stop web.0 n0 retry", "start web.0 n1 retry"});
    CHECK(fleet.running("web") == 1);
    CHECK(fleet.violations.empty());
}

// Goal: an instance that ran well for long can fail and be tried on two other nodes again.
// Method: it fails on one node, runs on the next for ten minutes, and fails there.
TEST_CASE("ten minutes of running clear an earlier failure", "[planner][retry]") {
    const Duration passed = GENERATE(Duration{9min}, Duration{11min});
    OneTask fleet{3};
    fleet.converge_and_fail();
    while (fleet.next_round() > 0) {
    }
    fleet.put("n1", "web", 0, fleet.generation("web"));  // It is planned again.
    fleet.round({.now = fleet.now + passed});
    fleet.put("n1", "web", 0, fleet.generation("web"));
    fleet.round({.now = fleet.now});
    fleet.trace.clear();
    fleet.fail("n1", {"web", 0});
    while (fleet.next_round() > 0) {
    }
    // The first node is as good as any other again, or is not tried.
    CHECK(fleet.trace.back() == (passed < 10min ? "start web.0 n2 retry" : "start web.0 n0 retry"));
    CHECK(fleet.violations.empty());
}

// Goal: a new version that fails everywhere takes down one instance, not all.
// Method: a roll-out in place of three instances; each new copy fails wherever it is tried.
TEST_CASE("a roll-out stops at an instance that fails on every node", "[planner][retry][rollout]") {
    Fleet fleet;
    fleet.add_hosts(5);
    TaskSpec spec = fleet.spec();
    spec.update.max_surge = 0;
    fleet.want("web", 3, spec);
    REQUIRE(fleet.converge());
    fleet.restart("web");
    for (int pass = 0; pass < 30; ++pass) {
        fleet.next_round();
        for (auto& [name, host] : fleet.hosts()) {
            for (auto& [id, instance] : host.runs) {
                if (instance.generation == fleet.generation("web")) {
                    instance.state = InstanceState::failed;
                }
            }
        }
        fleet.report_all();
        CHECK(fleet.running("web") == 2);
    }
    const TaskStatus status = fleet.planner.status(*fleet.workload.find("web"));
    CHECK(status.failed == 1);
    CHECK(status.rolling == 2);
}

// Goal: an instance that was refused once, and has no place now, does not count against the new
// generation.
// Method: two are added with it; the only free node refuses both for a while, then it takes one.
TEST_CASE("a roll-out continues past an instance that was refused and lacks a place",
          "[planner][retry][rollout]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.host("n2").refuses = true;
    fleet.want("web", 2);
    REQUIRE(fleet.converge());
    TaskSpec spec = fleet.spec();
    spec.argv = {"/bin/false"};
    fleet.want("web", 4, spec);
    fleet.next_round();
    for (const int seconds : {0, 1, 1}) {
        fleet.round({.now = fleet.now + seconds * 1s});
    }
    fleet.host("n2").refuses = false;
    fleet.next_round();
    for (int pass = 0; pass < 3; ++pass) {
        fleet.round({.now = fleet.now});
    }
    REQUIRE(fleet.running("web") == 3);
    for (int second = 0; second < 8; ++second) {
        fleet.next_round();
    }
    const TaskStatus status = fleet.planner.status(*fleet.workload.find("web"));
    CHECK(status.rolling == 0);
    CHECK(status.running == 3);
    CHECK(status.shortage() == Shortage{Obstacle::max_per_node, 1});
    CHECK(fleet.violations.empty());
}

// Goal: a person sees why a copy is not replaced. Method: its node refuses the next generation.
TEST_CASE("a copy whose replacement is refused says why", "[planner][retry]") {
    Fleet fleet;
    fleet.add_hosts(1);
    fleet.want("web", 1);
    fleet.next_round();
    const TaskIndex web = *fleet.workload.find("web");
    REQUIRE(fleet.running("web") == 1);
    CHECK(fleet.planner.instances_of(web).front().detail.empty());
    fleet.host("n0").refuses = true;
    TaskSpec changed = fleet.spec();
    changed.argv.emplace_back("--changed");
    fleet.want("web", 1, changed);
    for (int second = 0; second < 4; ++second) {
        fleet.next_round();
    }
    const auto views = fleet.planner.instances_of(web);
    REQUIRE(views.size() == 1);
    CHECK(views.front().state == "running");
    CHECK(views.front().detail.find("its replacement was refused") == 0);
    CHECK(fleet.planner.instance(web, 0).detail == views.front().detail);
}

// Goal: a node that refuses is tried again after growing pauses, and another one at once.
// Method: the only node refuses; then it obeys. Then the least loaded of two refuses.
TEST_CASE("a refused start is tried again after a growing pause, or elsewhere at once",
          "[planner][retry][SC-19]") {
    Fleet fleet;
    SECTION("again") {
        fleet.add_hosts(1);
        fleet.host("n0").refuses = true;
        fleet.want("web", 1);
        for (int second = 0; second < 15; ++second) {
            fleet.next_round();
        }
        CHECK(fleet.trace.size() == 4);  // After 0, 1, 3 and 7 s.
        CHECK(fleet.totals().unplaced == 1);
        const auto views = fleet.planner.instances_of(*fleet.workload.find("web"));
        REQUIRE(views.size() == 1);
        CHECK(views.front().state == "unplaced");
        CHECK(views.front().detail == "refused 4 times, last by a full host");
        const TaskStatus status = fleet.planner.status(*fleet.workload.find("web"));
        CHECK(status.shortage() == Shortage{Obstacle::refused, 1});
        fleet.host("n0").refuses = false;
        for (int second = 0; second < 8; ++second) {
            fleet.next_round();
        }
    }
    SECTION("elsewhere") {
        fleet.add_hosts(2);
        fleet.host("n0").refuses = true;
        fleet.want("web", 1);
        fleet.next_round();
        fleet.round({.now = fleet.now});
        CHECK(fleet.trace == Lines{"start web.0 n0 missing", "start web.0 n1 retry"});
    }
    SECTION("also in a roll-out in place") {
        fleet.add_hosts(1);
        fleet.want("web", 1);
        REQUIRE(fleet.converge());
        fleet.host("n0").refuses = true;
        fleet.restart("web");
        fleet.trace.clear();
        for (int second = 0; second < 15; ++second) {
            fleet.next_round();
        }
        CHECK(fleet.trace.size() == 4);
        fleet.host("n0").refuses = false;
        for (int second = 0; second < 8; ++second) {
            fleet.next_round();
        }
        CHECK(fleet.host("n0").runs.at({"web", 0}).generation == fleet.generation("web"));
    }
    CHECK(fleet.running("web") == 1);
    CHECK(fleet.totals().unconverged == 0);
    CHECK(fleet.violations.empty());
}

// Goal: an instance of a lost node is shown neither as failed nor as missing.
// Method: the task waits half a minute for its node, which returns, or does not.
TEST_CASE("an instance of a lost node is unknown, and waited for as its task says",
          "[planner][SC-18]") {
    OneTask fleet{2};
    PlacementRule rule;
    rule.reschedule_after = 30s;
    fleet.want_placed("web", 1, rule);
    fleet.next_round();
    fleet.lose("n0");
    for (int second = 0; second < 30; ++second) {
        CHECK(fleet.next_round() == 0);
    }
    const auto views = fleet.planner.instances_of(*fleet.workload.find("web"));
    REQUIRE(views.size() == 1);
    CHECK(views.front().state == "unknown");
    CHECK(views.front().node == "n0");
    CHECK(fleet.status().shortage() == Shortage{Obstacle::rescheduling, 1});
    CHECK(fleet.status().failed == 0);
    SECTION("it is placed again") {
        fleet.next_round();
        CHECK(fleet.trace == Lines{"start web.0 n1 lost"});
        REQUIRE(fleet.converge());
        CHECK(fleet.running("web") == 2);  // The first one is unknown.
        fleet.return_host("n0", false);
        REQUIRE(fleet.converge());
        CHECK(fleet.running("web") == 1);
    }
    SECTION("its node returns") {
        fleet.return_host("n0", false);
        CHECK(fleet.next_round() == 0);
        CHECK(fleet.status().phase == TaskPhase::converged);
        CHECK(fleet.trace.empty());
    }
    CHECK(fleet.violations.empty());
}

}  // namespace muster::coordinator::test
