#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

using Lines = std::vector<std::string>;

PlacementRule on_every_node() {
    PlacementRule rule;
    rule.every_node = true;
    return rule;
}

/// `log` has one instance on every host.
struct Everywhere : Fleet {
    explicit Everywhere(std::uint32_t hosts) {
        add_hosts(hosts);
        want_placed("log", 1, on_every_node());
        converge();
        trace.clear();
    }
    [[nodiscard]] TaskStatus status() { return planner.status(*workload.find("log")); }
    /// `n0: log.0`
    [[nodiscard]] Lines where() {
        Lines lines;
        for (const auto& [name, host] : hosts()) {
            for (const auto& [id, instance] : host.runs) {
                lines.push_back(name + ": " + to_string(id));
            }
        }
        return lines;
    }
    using Fleet::to_string;
    static std::string to_string(const InstanceId& id) { return muster::to_string(id); }
};

/// Adds, loses or returns a host.
void disturb_hosts(Fleet& fleet, Random& random) {
    const std::string name = "n" + std::to_string(random.below(6));
    const bool is_there = fleet.hosts().contains(name);
    const bool is_lost = is_there && fleet.host(name).is_lost;
    switch (random.below(6)) {
        case 0:
            if (!is_there) {
                fleet.add(name);
            }
            break;
        case 1:
            if (is_there && is_lost) {
                fleet.return_host(name, random.chance(1, 2));
            } else if (is_there) {
                fleet.lose(name);
            }
            break;
        case 2:
            if (is_lost) {
                fleet.remove(name);
            }
            break;
        case 3:
            if (is_there && !is_lost) {
                fleet.drain(name);
            }
            break;
        case 4:
            if (is_there && !is_lost) {
                fleet.resume(name);
            }
            break;
        default: fleet.restart("log");
    }
}

}  // namespace

// Goal: each node has its own instance, whatever happens to the others.
// Method: a node joins, is lost, returns, is lost for good.
TEST_CASE("a task of every node follows the nodes", "[planner][every_node]") {
    Everywhere fleet{2};
    CHECK(fleet.where() == Lines{"n0: log.0", "n1: log.1"});
    CHECK(fleet.status().wanted == 2);
    fleet.add("n2");
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"start log.2 n2 every_node"});

    fleet.trace.clear();
    fleet.lose("n0");
    REQUIRE(fleet.converge());
    CHECK(fleet.status().wanted == 2);
    CHECK(fleet.status().phase == TaskPhase::converged);
    fleet.add("n3");
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"start log.3 n3 every_node"});  // n0 keeps its ordinal.
    fleet.return_host("n0", false);
    CHECK(fleet.round() == 0);
    CHECK(fleet.status().running == 4);

    fleet.lose("n0");
    fleet.remove("n0");
    fleet.trace.clear();
    fleet.add("n4");
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"start log.0 n4 every_node"});
    CHECK(fleet.violations.empty());
}

// Goal: such an instance belongs to its node: it is stopped there and started nowhere else.
// Method: drain and resume one of two nodes.
TEST_CASE("a drain stops the instance of a task of every node", "[planner][every_node][drain]") {
    Everywhere fleet{2};
    fleet.drain("n0");
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"stop log.0 n0 drain"});
    CHECK(fleet.status().wanted == 1);
    CHECK(fleet.status().phase == TaskPhase::converged);
    CHECK_FALSE(fleet.placements.is_busy(fleet.host("n0").index));
    fleet.resume("n0");
    REQUIRE(fleet.converge());
    CHECK(fleet.where() == Lines{"n0: log.0", "n1: log.1"});

    fleet.suspend("n1");  // It gets no new work, and keeps its instance.
    CHECK(fleet.round() == 0);
    CHECK(fleet.status().wanted == 2);
    CHECK(fleet.violations.empty());
}

// Goal: only suitable nodes get an instance, and a change of the rule is followed.
// Method: two of three nodes have a label; the task requires it, and then no more.
TEST_CASE("a task of every node runs on the nodes that meet its constraints",
          "[planner][every_node]") {
    Everywhere fleet{3};
    Offer fast;
    fast.labels["disk"] = "ssd";
    fleet.placements.set_offer(fleet.host("n1").index, fast);
    PlacementRule rule = on_every_node();
    rule.constraints = {*parse_constraint("disk = ssd")};
    fleet.want_placed("log", 1, rule);
    REQUIRE(fleet.converge());
    CHECK(fleet.where() == Lines{"n1: log.1"});
    CHECK(fleet.status().phase == TaskPhase::converged);
    fleet.placements.set_offer(fleet.host("n2").index, fast);
    REQUIRE(fleet.converge());
    CHECK(fleet.where() == Lines{"n1: log.1", "n2: log.0"});
    fleet.want_placed("log", 1, PlacementRule{});
    REQUIRE(fleet.converge());
    CHECK(fleet.running("log") == 1);
    fleet.want_placed("log", 0, on_every_node());
    REQUIRE(fleet.converge());
    CHECK(fleet.where().empty());
    CHECK(fleet.violations.empty());
}

// Goal: a new leader learns from reports which node has which ordinal.
// Method: copies are reported under ordinals that a fresh planner would give to other nodes.
TEST_CASE("the ordinals of a task of every node are learned from reports",
          "[planner][every_node][recovery]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want_placed("log", 1, on_every_node());
    fleet.put("n0", "log", 2);
    fleet.put("n1", "log", 0);
    Scope scope;
    scope.held_back = fleet.counter();
    CHECK(fleet.round(scope) == 0);
    CHECK(fleet.planner.status(*fleet.workload.find("log")).running == 2);
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"start log.1 n2 every_node"});
    REQUIRE(fleet.converge());
    SECTION("if two nodes have one ordinal, one gets another") {
        fleet.put("n2", "log", 0);
        fleet.host("n2").runs.erase({"log", 1});
        fleet.report_all();
        REQUIRE(fleet.converge());
        CHECK(fleet.running("log") == 3);
        CHECK(fleet.host("n2").runs.size() == 1);
    }
    CHECK(fleet.violations.empty());
}

// Goal: a new version is rolled out in place, one node after the other.
// Method: restart on three nodes; new processes stay `starting` until the test says so.
TEST_CASE("a roll-out of a task of every node takes one node at a time",
          "[planner][every_node][rollout]") {
    Everywhere fleet{3};
    fleet.starts_slowly = true;
    fleet.restart("log");
    for (std::uint32_t done = 1; done <= 3; ++done) {
        fleet.round();
        CHECK(fleet.running("log") == 2);
        CHECK(fleet.trace.size() == done);
        CHECK(fleet.round() == 0);
        fleet.finish_starts();
    }
    REQUIRE(fleet.converge());
    CHECK(fleet.status().phase == TaskPhase::converged);
    CHECK(fleet.violations.empty());
}

// Goal: at rest each serving node runs exactly one, and no ordinal runs twice.
// Method: random histories of hosts, and another task that is spread over them.
TEST_CASE("a task of every node runs once on each node that serves", "[planner][every_node]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 201));
    CAPTURE(seed);
    Random random{seed};
    Everywhere fleet{3};
    fleet.want("web", 2);
    for (int change = 0; change < 25; ++change) {
        CAPTURE(change);
        disturb_hosts(fleet, random);
        fleet.stop_takes = static_cast<std::uint32_t>(random.below(2));
        if (random.chance(1, 2)) {
            fleet.round();
            continue;
        }
        fleet.stop_takes = 0;
        REQUIRE(fleet.converge());
        fleet.round();
        for (const auto& [name, host] : fleet.hosts()) {
            CAPTURE(name, fleet.where());
            const auto here = static_cast<std::size_t>(std::ranges::count_if(
                host.runs, [](const auto& entry) { return entry.first.task == "log"; }));
            if (!host.is_lost) {
                CHECK(here == (fleet.placements.nodes().is_serving(host.index) ? 1 : 0));
            }
        }
        CHECK(fleet.status().phase == TaskPhase::converged);
    }
    CAPTURE(fleet.violations, fleet.trace);
    CHECK(fleet.violations.empty());
}

// Goal: a copy that is being replaced keeps its ordinal, also under a leader that only sees it end.
// Method: the first report of the second node has an old copy that is being stopped.
TEST_CASE("a copy that is being replaced binds its ordinal to its node", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    PlacementRule everywhere;
    everywhere.every_node = true;
    fleet.want_placed("w", 1, everywhere);
    fleet.put("n1", "w", 0, fleet.generation("w"), InstanceState::stopping);
    static_cast<void>(fleet.planner.plan({}));
    const Task& task = fleet.workload[*fleet.workload.find("w")];
    REQUIRE(task.bound.size() == 2);
    CHECK(task.bound[0] == fleet.host("n1").index);
    CHECK(task.bound[1] == fleet.host("n0").index);
}

// Goal: a copy that returned with an ordinal is not stopped for a node that never started it.
// Method: the first host has no slot for it; then another one joins that runs it.
TEST_CASE("an ordinal that was never started goes to the node that returns with it",
          "[planner][every_node]") {
    Fleet fleet;
    fleet.add("n0");
    Offer none;
    none.capacity.slots = 0;
    fleet.offer("n0", none);
    fleet.want_placed("log", 1, on_every_node());
    REQUIRE(fleet.converge());
    REQUIRE(fleet.running("log") == 0);
    fleet.add("n1");
    fleet.put("n1", "log", 0);
    CHECK(fleet.text(fleet.planner.plan({})).empty());
    CHECK(fleet.planner.status(*fleet.workload.find("log")).running == 1);
}

// Goal: a copy of the wanted version is not stopped for an older one that was reported first.
// Method: a new leader first learns of the previous version, which has ended, and then of the
// wanted one under the same ordinal.
TEST_CASE("an ordinal goes to the node that runs its wanted version",
          "[planner][every_node][recovery]") {
    Fleet fleet;
    fleet.add("n0");
    fleet.want_placed("log", 1, on_every_node());
    const Generation before = fleet.generation("log");
    fleet.restart("log");
    Scope recovery;
    recovery.held_back = fleet.counter();
    fleet.put("n0", "log", 0, before, InstanceState::exited);
    REQUIRE(fleet.round(recovery) == 0);
    fleet.add("n1");
    fleet.put("n1", "log", 0);
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"stop log.0 n0 surplus", "start log.1 n0 every_node"});
    CHECK(fleet.running("log") == 2);
    CHECK(fleet.violations.empty());
}

// Goal: the same if the other copy was equally good, and is gone when the stop must be ordered
// again. Method: two nodes report one ordinal; the stop is lost, and the other node is drained.
TEST_CASE("a node whose ordinal another node had takes it when it is free",
          "[planner][every_node][drain]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want_placed("log", 1, on_every_node());
    fleet.put("n0", "log", 0);
    fleet.put("n1", "log", 0);
    REQUIRE(fleet.text(fleet.planner.plan({})) == Lines{"stop log.0 n1 surplus"});
    fleet.drain("n0");  // The stop was lost.
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"stop log.0 n0 drain"});
    CHECK(fleet.running("log") == 1);
    CHECK(fleet.violations.empty());
}

// Goal: a node that refuses its copy is not tried without pause. Method: one of two refuses; later
// it accepts.
TEST_CASE("a node that refuses its copy of a task of every node is tried again after a pause",
          "[planner][every_node]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.host("n0").refuses = true;
    fleet.want_placed("log", 1, on_every_node());
    Scope scope;
    std::size_t starts = 0;
    for (int round = 0; round < 10; ++round) {
        scope.now += 1s;
        starts += fleet.round(scope);
    }
    CHECK(starts > 2);
    CHECK(starts < 7);
    CHECK(fleet.planner.status(*fleet.workload.find("log")).shortage() ==
          Shortage{Obstacle::refused, 1});
    fleet.host("n0").refuses = false;
    for (int round = 0; round < 20; ++round) {
        scope.now += 1s;
        fleet.round(scope);
    }
    CHECK(fleet.host("n0").runs.size() == 1);
    CHECK(fleet.violations.empty());
}

}  // namespace muster::coordinator::test
