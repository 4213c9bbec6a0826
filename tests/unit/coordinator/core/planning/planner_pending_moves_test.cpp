#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/spec/placement.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"
#include "tests/unit/coordinator/core/planning/planner_rules.hpp"

// Decided moves that have not begun while the fleet changes.
namespace muster::coordinator::test {
namespace {

using Tasks = std::vector<std::string>;

PlacementRule with_cpu(std::uint64_t milli) {
    PlacementRule rule;
    rule.request.cpu_milli = milli;
    return rule;
}

void pin(Fleet& fleet, const Tasks& tasks) {
    PlacementRule pinned;
    pinned.pinned = true;
    for (const std::string& task : tasks) {
        fleet.want_placed(task, 1, pinned);
    }
}

void want(Fleet& fleet, const Tasks& tasks, const PlacementRule& rule = {}) {
    for (const std::string& task : tasks) {
        fleet.want_placed(task, 1, rule);
    }
}

void offer_cpu(Fleet& fleet, std::uint64_t milli) {
    Offer offer;
    offer.capacity.cpu_milli = milli;
    for (const auto& [name, host] : fleet.hosts()) {
        fleet.offer(name, offer);
    }
}

Offer in_rack(const std::string& rack, bool has_ssd) {
    Offer offer;
    offer.labels["rack"] = rack;
    if (has_ssd) {
        offer.labels["disk"] = "ssd";
    }
    return offer;
}

Scope no_moves() {
    Scope scope;
    scope.moves = 0;
    return scope;
}

/// Four tasks on n0, two of which are to move to n1; then one of n1's two slots is gone.
std::vector<std::string> story_of_two_moves(bool forwards) {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.offer("n1", with_slots(0));
    Tasks tasks{"a", "b", "c", "d"};
    if (!forwards) {
        std::ranges::reverse(tasks);
    }
    want(fleet, tasks);
    REQUIRE(fleet.converge());
    fleet.trace.clear();
    fleet.offer("n1", with_slots(2));
    fleet.round(no_moves());
    CHECK(fleet.totals().moves == 2);
    fleet.offer("n1", with_slots(1));
    fleet.round(no_moves());
    CHECK(fleet.totals().moves == 1);
    REQUIRE(fleet.converge());
    return fleet.trace;
}

}  // namespace

TEST_CASE("which of two moves is given up for lack of room does not depend on the order of input",
          "[planner][SP-6]") {
    CHECK(story_of_two_moves(true) == story_of_two_moves(false));
}

// Goal: a waiting instance reserves no place that another one still uses.
// Method: one move a round, forty wait; the task with the last move is scaled up.
TEST_CASE("an instance that waits for a copy to leave does not count on a move that has not begun",
          "[planner][GO-07]") {
    Fleet fleet;
    fleet.add_hosts(1);
    for (int i = 100; i < 139; ++i) {
        fleet.want("m" + std::to_string(i), 1);
        pin(fleet, {"p" + std::to_string(i)});
    }
    pin(fleet, {"p139"});
    fleet.want_placed("m999", 1, with_cpu(100));
    REQUIRE(fleet.converge());
    fleet.add("n1");
    offer_cpu(fleet, 1'000);
    Scope scope;
    scope.moves = 1;
    fleet.round(scope);
    fleet.want("m999", 4);
    fleet.round(scope);
    PlacementRule large = rule_with("node = n0");
    large.request.cpu_milli = 900;
    fleet.want_placed("z", 1, large);
    fleet.round(scope);
    fleet.round(scope);
    CHECK(fleet.host("n0").runs.contains({"z", 0}));
    CHECK(fleet.violations.empty());
}

// Goal: an impossible move leaves nothing behind.
// Method: no move may begin; the target of one is given to another instance of the task.
TEST_CASE("a move without room is given up even while no move may begin", "[planner][SP-7]") {
    Fleet fleet;
    fleet.add_hosts(1);
    pin(fleet, {"a", "b", "c"});
    fleet.want_placed("w", 1, with_cpu(100));
    REQUIRE(fleet.converge());
    fleet.add("n1");
    offer_cpu(fleet, 1'000);
    fleet.round(no_moves());
    REQUIRE(fleet.totals().moves == 1);
    fleet.want("w", 4);
    for (int rounds = 0; rounds < 6; ++rounds) {
        fleet.round(no_moves());
    }
    CHECK(fleet.planner.status(*fleet.workload.find("w")).shortage().count == 2);
    CHECK(fleet.totals().moves == 0);
    const auto before = fleet.planner.effort().balances;
    for (int rounds = 0; rounds < 20; ++rounds) {
        fleet.round(no_moves());
    }
    CHECK(fleet.planner.effort().balances == before);
}

// Goal: an instance counts once for the spread, whatever was planned for it.
// Method: one of two is to move to rack B; then both nodes no longer suit, and two of rack A do.
TEST_CASE("an instance that must move at once and had a decided move counts once for the spread",
          "[planner]") {
    Fleet fleet;
    for (const std::string name : {"a0", "a1", "a2", "b0", "c0"}) {
        fleet.add(name);
        const std::string rack{static_cast<char>(name.front() - 'a' + 'A')};
        fleet.offer(name, in_rack(rack, name == "a0" || name == "c0"));
    }
    PlacementRule rule = rule_with("disk = ssd");
    rule.spread = "rack";
    TaskSpec spec = fleet.spec();
    spec.update.max_surge = 2;
    fleet.want("w", 2, spec);
    fleet.want_placed("w", 2, rule);
    want(fleet, {"x0", "x1", "x2"}, rule_with("node = a0"));
    want(fleet, {"y0", "y1", "y2"}, rule_with("node = a1"));
    REQUIRE(fleet.converge());
    fleet.offer("b0", in_rack("B", true));
    fleet.round(no_moves());
    REQUIRE(fleet.totals().moves == 1);
    fleet.offer("a0", in_rack("A", false));
    fleet.offer("c0", in_rack("C", false));
    fleet.offer("a1", in_rack("A", true));
    fleet.offer("a2", in_rack("A", true));
    fleet.trace.clear();
    fleet.round(no_moves());
    CHECK(fleet.trace == Tasks{"start w.0 a2 unfit", "start w.1 b0 unfit"});
}

// Goal: executing a decided move never worsens the balance.
// Method: two moves wait; then as many other instances are placed on the empty node as make it
// even.
TEST_CASE("a decided move that no longer improves the balance is given up", "[planner][GO-D4]") {
    Fleet fleet;
    fleet.add_hosts(1);
    want(fleet, {"a", "b", "c", "d"});
    REQUIRE(fleet.converge());
    fleet.want_placed("z", 0, rule_with("node = n1"));
    fleet.add("n1");
    fleet.round(no_moves());
    REQUIRE(fleet.totals().moves == 2);
    want(fleet, {"w", "x", "y", "z"}, rule_with("node = n1"));
    fleet.round(no_moves());
    fleet.round(no_moves());
    REQUIRE(fleet.load("n0") == 4);
    REQUIRE(fleet.load("n1") == 4);
    fleet.trace.clear();
    REQUIRE(fleet.converge());
    CHECK(fleet.trace.empty());
}

// Goal: two instances of a group do not meet because of a move that was decided when the node was
// idle.
// Method: the move waits while another instance of the group is placed at its target.
TEST_CASE("a decided move to a node that its group now uses is given up", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(1);
    PlacementRule group;
    group.group = "g";
    want(fleet, {"a", "b", "c"});
    want(fleet, {"w"}, group);
    REQUIRE(fleet.converge());
    fleet.add("n1");
    fleet.add("n2");
    PlacementRule on_n1 = rule_with("node = n1");
    on_n1.group = "g";
    want(fleet, {"old"}, on_n1);
    fleet.round(no_moves());
    fleet.round(no_moves());
    fleet.unwant("old");
    pin(fleet, {"a", "b", "c"});
    for (int rounds = 0; rounds < 4; ++rounds) {
        fleet.round(no_moves());
    }
    REQUIRE(fleet.totals().moves == 1);
    want(fleet, {"x"}, group);
    REQUIRE(fleet.converge());
    CHECK_FALSE(
        (fleet.host("n1").runs.contains({"w", 0}) && fleet.host("n1").runs.contains({"x", 0})));
}

// Goal: each move is judged by the present state, without given-up moves.
// Method: two of four are to move to rack B; two others placed there leave a reason for one only.
TEST_CASE("a decided move is judged without earlier moves that were given up", "[planner]") {
    Fleet fleet;
    const auto add = [&](const std::string& name, const std::string& rack) {
        fleet.add(name);
        Offer offer = in_rack(rack, false);
        offer.capacity.slots = 4;
        fleet.offer(name, offer);
    };
    add("a0", "A");
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 4;
    fleet.want("w", 0, spec);
    PlacementRule rule;
    rule.spread = "rack";
    fleet.want_placed("w", 4, rule);
    REQUIRE(fleet.converge());
    add("b0", "B");
    add("b1", "B");
    fleet.round(no_moves());
    REQUIRE(fleet.totals().moves == 2);
    fleet.want("w", 6, spec);
    fleet.round(no_moves());
    REQUIRE(fleet.totals().moves == 2);
    REQUIRE(fleet.load("a0") == 4);
    fleet.trace.clear();
    fleet.round();
    CHECK(fleet.trace == Tasks{"start w.1 b1 balance"});
    CHECK(fleet.totals().moves == 1);
}

// Goal: a stray copy keeps only its own task from moving.
// Method: two of four tasks have a copy that this store never ordered; a node is added.
TEST_CASE("a task with a stray copy moves nothing, and other tasks move instead",
          "[planner][SP-1]") {
    Fleet fleet;
    fleet.add_hosts(1);
    want(fleet, {"a", "b"});
    REQUIRE(fleet.converge());
    for (const std::string task : {"a", "b"}) {
        fleet.put("n0", task, 9, Generation{1'000});
    }
    want(fleet, {"c", "d"});
    REQUIRE(fleet.converge());
    fleet.add("n1");
    REQUIRE(fleet.converge());
    fleet.round();
    CHECK(fleet.totals().moves == 0);
    CHECK(fleet.load("n1") == 2);
    const auto looks = fleet.planner.effort().move_checks;
    fleet.round();
    CHECK(fleet.planner.effort().move_checks == looks);
}

// Goal: rounds without a change cost nothing.
// Method: of three instances one waits for a copy that never leaves, and one lacks a place.
TEST_CASE("a task that waits for a copy that never leaves, and lacks a place, causes no work",
          "[planner][SP-7]") {
    Fleet fleet;
    fleet.add_hosts(2);
    offer_cpu(fleet, 1'000);
    fleet.want_placed("w", 0, with_cpu(100));
    fleet.put("n1", "w", 9, Generation{1'000});
    fleet.want("w", 3);
    REQUIRE(fleet.converge());
    fleet.want("other", 1);
    REQUIRE(fleet.converge());
    fleet.unwant("other");
    REQUIRE(fleet.converge());
    fleet.round();
    const auto before = fleet.planner.effort();
    for (int rounds = 0; rounds < 10; ++rounds) {
        fleet.round();
    }
    CHECK(fleet.planner.status(*fleet.workload.find("w")).shortage().count > 0);
    CHECK(fleet.planner.effort() == before);
}

}  // namespace muster::coordinator::test
