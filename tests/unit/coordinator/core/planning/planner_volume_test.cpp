#include <cstddef>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

// The planner with thousands of instances on one node.
namespace muster::coordinator::test {

// Goal: a node gets no more than its report can hold, and a place that becomes free is used.
// Method: fill the only node, want one more, then scale the filler down.
TEST_CASE("a full node takes nothing until a copy is gone", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 5'000;
    fleet.want("filler", 4'096, spec);
    REQUIRE(fleet.converge());
    fleet.want("web", 1);
    CHECK(fleet.round() == 0);
    CHECK(fleet.planner.status(*fleet.workload.find("web")).shortage() ==
          Shortage{Obstacle::full, 1});
    fleet.want("filler", 4'095, spec);
    REQUIRE(fleet.converge());
    CHECK(fleet.running("web") == 1);
    CHECK(fleet.totals().unplaced == 0);
}

// Goal: waiting moves cost nothing, however many are decided.
// Method: two thousand tasks crowd one of two nodes; the budget is one move a pass.
TEST_CASE("a pass reads no more moves than its budget can use", "[planner][GO-D6]") {
    Fleet fleet;
    fleet.add_hosts(1);
    for (int i = 0; i < 2'000; ++i) {
        fleet.want("t" + std::to_string(i), 1);
    }
    REQUIRE(fleet.converge());
    fleet.add("n1");
    Scope scope;
    scope.moves = 1;
    fleet.round(scope);
    CHECK(fleet.totals().moves == 1'000);
    CHECK(fleet.is_planned_evenly());
    for (int pass = 0; pass < 10; ++pass) {
        const Effort before = fleet.planner.effort();
        const std::size_t there = fleet.load("n1");
        fleet.round(scope);
        const Effort after = fleet.planner.effort();
        CHECK(fleet.load("n1") == there + 1);
        CHECK(after.move_checks - before.move_checks <= 4 + 64);
        CHECK(after.balances <= before.balances + 1);
    }
    CHECK(fleet.violations.empty());
}

}  // namespace muster::coordinator::test
