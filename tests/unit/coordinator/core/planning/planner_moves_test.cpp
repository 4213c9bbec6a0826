#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/spec/placement.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

// When moves of the balance can begin, and how many at once.
namespace muster::coordinator::test {
namespace {

/// n0 has one instance; n1 has another that was moved there and one that is pinned.
Scope crowded_by_one_that_rests(Fleet& fleet) {
    Scope scope;
    scope.move_cooldown = 5min;
    scope.now = Instant{} + 1h;
    fleet.add_hosts(1);
    fleet.want("a", 1);
    fleet.want("b", 1);
    REQUIRE(fleet.converge());
    fleet.add("n1");
    fleet.round(scope);
    fleet.round(scope);
    REQUIRE(fleet.load("n1") == 1);
    fleet.want("c", 1);
    fleet.put("n1", "c", 0);
    PlacementRule pinned;
    pinned.pinned = true;
    fleet.want_placed("c", 1, pinned);
    return scope;
}

}  // namespace

// Goal: a pass begins no more moves than allowed, and the others follow.
// Method: many small tasks crowd one node; the budget is two a pass.
TEST_CASE("the budget of a pass bounds the moves it begins", "[planner][GO-D6]") {
    Fleet fleet;
    fleet.add_hosts(1);
    for (int i = 0; i < 8; ++i) {
        fleet.want("t" + std::to_string(i), 1);
    }
    REQUIRE(fleet.converge());
    fleet.add("n1");
    Scope scope;
    scope.moves = 2;
    CHECK(fleet.planner.plan(scope).orders.size() == 2);
    CHECK(fleet.totals().moves == 4);
    int passes = 0;
    while (fleet.load("n1") < 4 && passes < 20) {
        fleet.round(scope);
        ++passes;
    }
    CHECK(fleet.load("n1") == 4);
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 4);
}

// Goal: a moved instance stays for a while, and then can move again.
// Method: an instance is moved to a new node; then another node joins and the first leaves.
TEST_CASE("an instance that was moved rests until its cooldown is over", "[planner][GO-D6]") {
    Fleet fleet;
    Scope scope = crowded_by_one_that_rests(fleet);
    const std::string moved =
        fleet.host("n1").runs.contains({"a", 0}) ? std::string{"a"} : std::string{"b"};
    fleet.add("n2");
    fleet.trace.clear();
    for (const Duration passed : {Duration{1min}, Duration{3min}}) {
        scope.now = Instant{} + 1h + passed;
        fleet.round(scope);
        CHECK(fleet.totals().moves == 1);  // It is decided; only its execution waits.
        CHECK(fleet.is_planned_evenly());
        CHECK(fleet.trace.empty());
    }
    scope.now = Instant{} + 1h + 5min;
    fleet.round(scope);
    CHECK(fleet.trace == std::vector<std::string>{"start " + moved + ".0 n2 balance"});
    fleet.round(scope);
    CHECK(fleet.load("n2") == 1);
    CHECK(fleet.violations.empty());
}

// Goal: a move that has not begun takes no place from an unplaced instance.
// Method: a resting instance is to move to the only place of a node; another task wants that place.
TEST_CASE("an unplaced instance precedes a move that has not begun", "[planner][GO-07]") {
    Fleet fleet;
    const Scope scope = crowded_by_one_that_rests(fleet);
    fleet.add("n2");
    Offer offer;
    offer.capacity.slots = 1;
    fleet.offer("n2", offer);
    fleet.round(scope);
    REQUIRE(fleet.totals().moves == 1);

    PlacementRule there;
    there.constraints = {*parse_constraint("node = n2")};
    fleet.want_placed("d", 1, there);
    fleet.round(scope);
    fleet.round(scope);
    CHECK(fleet.host("n2").runs.contains({"d", 0}));
    CHECK(fleet.totals().moves == 0);
    CHECK(fleet.violations.empty());
}

// Goal: an operator can forbid moves for the balance, of a task or of all.
// Method: two tasks crowd a node; another node joins.
TEST_CASE("moves of the balance follow the settings of cluster and task", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(1);
    fleet.want("a", 1);
    fleet.want("b", 1);
    REQUIRE(fleet.converge());
    fleet.add("n1");
    Scope scope;
    SECTION("none of a pinned task") {
        PlacementRule pinned;
        pinned.pinned = true;
        fleet.want_placed("a", 1, pinned);
        fleet.want_placed("b", 1, pinned);
        CHECK(fleet.round(scope) == 0);
        fleet.want_placed("b", 1, {});
        fleet.round(scope);
        CHECK(fleet.load("n1") == 1);
    }
    SECTION("only on request") {
        scope.rebalance = Rebalance::on_demand;
        CHECK(fleet.round(scope) == 0);
        scope.rebalance_now = true;
        CHECK(fleet.round(scope) == 1);
        scope.rebalance_now = false;
        fleet.round(scope);
        CHECK(fleet.load("n0") == 1);
    }
    SECTION("never") {
        scope.rebalance = Rebalance::off;
        scope.rebalance_now = true;
        CHECK(fleet.round(scope) == 0);
        fleet.want("c", 1);
        fleet.round(scope);
        CHECK(fleet.load("n1") == 1);  // A missing instance still goes to the least loaded node.
        CHECK(fleet.load("n0") == 2);
    }
    CHECK(fleet.violations.empty());
}

}  // namespace muster::coordinator::test
