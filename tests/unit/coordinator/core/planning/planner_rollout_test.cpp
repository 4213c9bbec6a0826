#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

using Lines = std::vector<std::string>;

TaskSpec with_update(const Fleet& fleet, std::uint32_t max_surge, std::uint32_t max_unavailable) {
    TaskSpec spec = fleet.spec();
    spec.update.max_surge = max_surge;
    spec.update.max_unavailable = max_unavailable;
    return spec;
}

/// Two instances of `web` run on two of the hosts.
void run_two(Fleet& fleet, std::uint32_t hosts, const TaskSpec& spec) {
    fleet.add_hosts(hosts);
    fleet.want("web", 2, spec);
    REQUIRE(fleet.converge());
    REQUIRE(fleet.running("web") == 2);
    fleet.trace.clear();
}

bool all_run(const Fleet& fleet, const std::string& task) {
    const Generation wanted = fleet.generation(task);
    return fleet.planner.status(*fleet.workload.find(task)).phase == TaskPhase::converged &&
           std::ranges::all_of(fleet.placements.copies().of(*fleet.workload.find(task)),
                               [&](const Copy& copy) { return copy.generation == wanted; });
}

}  // namespace

// Goal: where there is room, a new generation takes over without a moment of fewer instances.
// Method: two instances on three hosts, processes start slowly; check the trace.
TEST_CASE("a roll-out starts each replacement elsewhere before it stops the old copy",
          "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 3, fleet.spec());
    fleet.starts_slowly = true;
    fleet.restart("web");
    for (int pass = 0; pass < 6; ++pass) {
        fleet.round();
        fleet.round();
        fleet.finish_starts();
    }
    CHECK(fleet.trace == Lines{"start web.0 n2 rollout", "stop web.0 n0 rollout",
                               "start web.1 n0 rollout", "stop web.1 n1 rollout"});
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.violations.empty());
}

// Goal: where no other node takes the task, its instances are replaced in place, one by one.
// Method: two instances on two hosts.
TEST_CASE("a roll-out without a free node replaces in place, one instance at a time",
          "[planner][rollout]") {
    Fleet fleet;
    const auto max_surge = GENERATE(std::uint32_t{0}, std::uint32_t{1});
    const std::uint32_t hosts = max_surge == 0 ? 3 : 2;
    run_two(fleet, hosts, with_update(fleet, max_surge, 1));
    fleet.starts_slowly = true;
    fleet.restart("web");
    CHECK(fleet.round() == 1);
    CHECK(fleet.round() == 0);
    CHECK(fleet.planner.status(*fleet.workload.find("web")).phase == TaskPhase::rolling);
    fleet.finish_starts();
    CHECK(fleet.round() == 1);
    fleet.finish_starts();
    CHECK(fleet.round() == 0);
    CHECK(fleet.trace == Lines{"start web.0 n0 rollout", "start web.1 n1 rollout"});
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.violations.empty());
}

// Goal: a roll-out whose new process does not start harms one instance only.
// Method: the first replacement goes into back-off.
TEST_CASE("a roll-out stops at an instance that does not start", "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 2, fleet.spec());
    fleet.starts_slowly = true;
    fleet.restart("web");
    fleet.round();
    fleet.put("n0", "web", 0, fleet.generation("web"), InstanceState::backoff);
    for (int pass = 0; pass < 5; ++pass) {
        CHECK(fleet.round() == 0);
    }
    CHECK(fleet.running("web") == 1);
    fleet.put("n0", "web", 0);
    CHECK(fleet.round() == 1);
    fleet.finish_starts();
    CHECK(all_run(fleet, "web"));
}

// Goal: a copy that is already down is replaced at once, and does not count.
// Method: three instances: one failed, one in back-off, one runs.
TEST_CASE("copies that are down are replaced first and all at once", "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("web", 3, with_update(fleet, 0, 1));
    REQUIRE(fleet.converge());
    fleet.put("n1", "web", 1, fleet.generation("web"), InstanceState::failed);
    fleet.put("n2", "web", 2, fleet.generation("web"), InstanceState::backoff);
    fleet.restart("web");
    CHECK(fleet.text(fleet.planner.plan({})) ==
          Lines{"start web.1 n1 rollout", "start web.2 n2 rollout", "start web.0 n0 rollout"});
}

// Goal: what max_unavailable 0 blocks is named, and continues as soon as possible.
// Method: no free node and nothing may be taken down; then a node joins.
TEST_CASE("a roll-out that can neither add nor take down says so", "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 2, with_update(fleet, 1, 0));
    fleet.restart("web");
    CHECK(fleet.round() == 0);
    const TaskIndex task = *fleet.workload.find("web");
    CHECK(fleet.planner.status(task).shortage() == Shortage{Obstacle::max_unavailable, 2});
    CHECK(fleet.planner.status(task).phase == TaskPhase::rolling);
    CHECK(fleet.totals().unplaced == 0);
    fleet.add("n9");
    REQUIRE(fleet.converge());
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.planner.status(task).shortage().count == 0);
    CHECK(fleet.violations.empty());
}

// Method: each host has one slot; the other host's slot is used, and then it is free.
TEST_CASE("a roll-out that cannot take down continues when another node has room",
          "[planner][rollout]") {
    Fleet fleet;
    Offer small;
    small.capacity.slots = 1;
    for (const char* name : {"n0", "n1"}) {
        fleet.add(name);
        fleet.offer(name, small);
    }
    fleet.want("db", 1);
    fleet.want("web", 1, with_update(fleet, 1, 0));
    REQUIRE(fleet.converge());
    fleet.restart("web");
    REQUIRE(fleet.converge());
    fleet.unwant("db");
    fleet.trace.clear();
    REQUIRE(fleet.converge());
    CHECK(fleet.trace ==
          Lines{"stop db.0 n0 unwanted", "start web.0 n0 rollout", "stop web.0 n1 rollout"});
    CHECK(fleet.violations.empty());
}

// Goal: an unplaced instance is named, whatever else is blocked.
// Method: four instances on three nodes, none of which may be taken down, in a new generation.
TEST_CASE("an unplaced instance is named before those that wait for the roll-out",
          "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("web", 4, with_update(fleet, 1, 0));
    fleet.converge();
    fleet.restart("web");
    CHECK(fleet.round() == 0);
    const auto status = fleet.planner.status(*fleet.workload.find("web"));
    CHECK(status.shortage() == Shortage{Obstacle::max_per_node, 1});
    CHECK(status.phase == TaskPhase::unplaced);
}

// Goal: no instance that can surge is skipped.
// Method: a node without new work runs db.0 and db.1; the only serving node runs db.2 and has a
// place for any other.
TEST_CASE("a roll-out that cannot take down begins with any instance that has a place",
          "[planner][rollout]") {
    Fleet fleet;
    fleet.add("n0");
    TaskSpec spec = with_update(fleet, 1, 0);
    spec.max_per_node = 2;
    fleet.want("db", 2, spec);
    REQUIRE(fleet.converge());
    fleet.suspend("n0");
    fleet.add("n1");
    fleet.want("db", 3, spec);
    REQUIRE(fleet.converge());
    REQUIRE(fleet.load("n1") == 1);
    fleet.trace.clear();
    fleet.restart("db");
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"start db.0 n1 rollout", "stop db.0 n0 rollout"});
    fleet.add("n2");
    REQUIRE(fleet.converge());
    CHECK(all_run(fleet, "db"));
    CHECK(fleet.violations.empty());
}

// Goal: a pass replaces each copy once.
// Method: both copies of one node are down, the free place is beside the running one.
TEST_CASE("copies that are down and replaced in place are not also started elsewhere",
          "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(2);
    TaskSpec spec = with_update(fleet, 1, 0);
    spec.max_per_node = 2;
    fleet.want("db", 3, spec);
    REQUIRE(fleet.converge());
    for (const Ordinal ordinal : {Ordinal{0}, Ordinal{2}}) {
        fleet.put("n0", "db", ordinal, fleet.generation("db"), InstanceState::backoff);
    }
    fleet.restart("db");
    CHECK(fleet.text(fleet.planner.plan({})) ==
          Lines{"start db.0 n0 rollout", "start db.2 n0 rollout"});
}

// Goal: a roll-out continues past a copy that the previous one took down, where nothing can be
// started.
// Method: the copy fails in the first generation; its node is drained before the second.
TEST_CASE("a copy that failed on a drained node does not block a roll-out", "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(3);
    fleet.want("web", 2, with_update(fleet, 0, 1));
    REQUIRE(fleet.converge());
    fleet.starts_slowly = true;
    fleet.restart("web");
    REQUIRE(fleet.round() == 1);
    fleet.fail("n0", {"web", 0});
    fleet.drain("n0");
    fleet.starts_slowly = false;
    fleet.restart("web");
    REQUIRE(fleet.converge());
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.running("web") == 2);
    CHECK(fleet.violations.empty());
}

// Goal: an ended older copy does not keep the place of one that cannot start.
// Method: the new copy failed on one host; the old one ran to its end on another.
TEST_CASE("an ended older copy is removed before the new one has started", "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 1);
    const Generation old = fleet.generation("web");
    fleet.restart("web");
    fleet.put("n0", "web", 0, fleet.generation("web"), InstanceState::failed);
    fleet.put("n1", "web", 0, old, InstanceState::exited);
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"stop web.0 n1 rollout"});
}

// Goal: an unknown generation is not the wanted one, however high it is.
// Method: a node that does not serve runs the instance in such a generation, beside the copy to
// replace.
TEST_CASE("a copy of a later generation does not replace one that serves", "[planner][rollout]") {
    Fleet fleet;
    fleet.add("n0");
    fleet.want("web", 1);
    REQUIRE(fleet.converge());
    Fleet::Host& ahead = fleet.add("n1");
    fleet.placements.set_serving(ahead.index, false);
    fleet.placements.set_commandable(ahead.index, false);
    fleet.put("n1", "web", 0, Generation{1'000});
    fleet.restart("web");
    CHECK(fleet.text(fleet.planner.plan({})) == Lines{"start web.0 n0 rollout"});
}

// Goal: a change during a roll-out is not lost.
// Method: a second generation while the first is being rolled out.
TEST_CASE("a generation that is added during a roll-out takes over", "[planner][rollout]") {
    Fleet fleet;
    run_two(fleet, 3, fleet.spec());
    fleet.starts_slowly = true;
    fleet.restart("web");
    fleet.round();
    fleet.restart("web");
    for (int pass = 0; pass < 20; ++pass) {
        fleet.round();
        fleet.finish_starts();
    }
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.running("web") == 2);
    CHECK(fleet.violations.empty());
}

// Goal: an agent that stops its old process slowly during a replacement keeps its instance.
// Method: the copy is reported `stopping` in its old generation after the start was decided.
TEST_CASE("a copy that is stopping to be replaced in place is not placed elsewhere",
          "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("web", 1, with_update(fleet, 0, 1));
    REQUIRE(fleet.converge());
    const Generation before = fleet.generation("web");
    fleet.restart("web");
    const Plan plan = fleet.planner.plan({});
    CHECK(fleet.text(plan) == Lines{"start web.0 n0 rollout"});
    fleet.host("n0").sequence = Sequence{99};
    fleet.placements.orders().launched(plan.orders.front(), Sequence{99});
    fleet.put("n0", "web", 0, before, InstanceState::stopping);
    CHECK(fleet.placements.orders().count() == 0);
    CHECK(fleet.round() == 0);
    CHECK(fleet.planner.status(*fleet.workload.find("web")).phase == TaskPhase::rolling);
    fleet.put("n0", "web", 0);
    CHECK(fleet.round() == 0);
    CHECK(all_run(fleet, "web"));
}

// Goal: a stricter spread rule is kept, and an instance without a node is shown.
// Method: two copies share the only node; the rule becomes one a node; another node joins.
TEST_CASE("a roll-out separates copies that share a node against the new spread rule",
          "[planner][rollout][SP-3]") {
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 2;
    fleet.want("web", 2, spec);
    REQUIRE(fleet.converge());
    REQUIRE(fleet.load("n0") == 2);
    fleet.want("web", 2, fleet.spec());
    fleet.trace.clear();
    CHECK(fleet.round() == 1);
    REQUIRE(fleet.converge());
    CHECK(fleet.trace == Lines{"stop web.0 n0 rollout", "start web.1 n0 rollout"});
    const TaskIndex task = *fleet.workload.find("web");
    CHECK(fleet.planner.status(task).shortage() == Shortage{Obstacle::max_per_node, 1});
    fleet.add("n1");
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 1);
    CHECK(fleet.load("n1") == 1);
    CHECK(all_run(fleet, "web"));
}

// Goal: a stricter spread rule costs no instance that has another node.
// Method: as before, but nothing may be taken down; the roll-out waits for the node.
TEST_CASE("copies that cannot be taken down separate when another node joins",
          "[planner][rollout]") {
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec spec = with_update(fleet, 1, 0);
    spec.max_per_node = 2;
    fleet.want("web", 2, spec);
    REQUIRE(fleet.converge());
    spec.max_per_node = 1;
    fleet.want("web", 2, spec);
    CHECK(fleet.round() == 0);
    fleet.planner.refresh_totals();
    REQUIRE(fleet.planner.shortages().size() == 1);
    CHECK(fleet.planner.shortages().front() == Shortage{Obstacle::max_unavailable, 2});
    fleet.add("n1");
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n1") == 1);
    CHECK(all_run(fleet, "web") == false);
    fleet.add("n2");
    REQUIRE(fleet.converge());
    CHECK(all_run(fleet, "web"));
    CHECK(fleet.violations.empty());
}

}  // namespace muster::coordinator::test
