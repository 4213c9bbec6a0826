#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

// More work than one step may do: the plan is made in several passes.
using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::test::Fleet;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

Scope at_most(std::size_t most) {
    Scope scope;
    scope.most = most;
    return scope;
}

}  // namespace

// Goal: work left by a limited pass is done by the next ones, once. Method: forty tasks of two
// instances, a few at a time.
TEST_CASE("a limited pass is continued by the next", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(4);
    for (int number = 0; number < 40; ++number) {
        fleet.want("t" + std::to_string(number), 2);
    }
    std::set<std::string> ordered;
    Plan plan;
    int passes = 0;
    do {
        plan = fleet.planner.plan(at_most(12));  // Four tasks with two ordinals each.
        CHECK(plan.orders.size() <= 8);
        for (const Order& order : plan.orders) {
            CHECK(ordered
                      .insert(fleet.workload.name(order.task) + "." + std::to_string(order.ordinal))
                      .second);
        }
        fleet.carry_out(plan);
        ++passes;
    } while (plan.is_cut && passes < 100);
    CHECK(passes >= 10);
    CHECK(ordered.size() == 80);
    fleet.report_all();
    CHECK(fleet.converge());
    CHECK(fleet.is_planned_evenly());
}

// Goal: a high priority does not wait for a low one, whichever was added first.
// Method: the last added task has the highest.
TEST_CASE("a limited pass takes the highest priority first", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    for (int number = 0; number < 20; ++number) {
        fleet.want("a" + std::to_string(number), 1);
    }
    PlacementRule high;
    high.priority = 10;
    fleet.want_placed("z", 1, high);
    const Plan plan = fleet.planner.plan(at_most(2));
    REQUIRE(plan.is_cut);
    REQUIRE(plan.orders.size() == 1);
    CHECK(fleet.workload.name(plan.orders.front().task) == "z");
    fleet.carry_out(plan);
    fleet.report_all();
    CHECK(fleet.converge());
    CHECK(fleet.running("a0") == 1);
}

// Goal: a task that a limited pass left is taken by its priority, also relative to tasks added
// later. Method: each pass starts one of 23 tasks; after three passes a task gets the highest
// priority, and after two more a new task is added.
TEST_CASE("a task that a limited pass left is taken by its present priority", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    for (int number = 0; number < 20; ++number) {
        fleet.want("a" + std::to_string(number), 1);
    }
    PlacementRule rule;
    rule.priority = -10;
    fleet.want_placed("low", 1, rule);
    rule.priority = 10;
    for (const char* const name : {"x", "y"}) {
        fleet.want_placed(name, 1, rule);
    }
    const auto next = [&] {
        Plan plan;
        do {  // A pass also reads the task that the last one ordered, and orders nothing for it.
            plan = fleet.planner.plan(at_most(2));
        } while (plan.orders.empty() && plan.is_cut);
        REQUIRE(plan.orders.size() == 1);
        fleet.carry_out(plan);
        return fleet.workload.name(plan.orders.front().task);
    };
    CHECK(next() == "x");
    CHECK(next() == "y");
    CHECK(next().starts_with("a"));
    rule.priority = 20;
    fleet.want_placed("a19", 1, rule);
    CHECK(next() == "a19");
    CHECK(next().starts_with("a"));
    fleet.want("new", 1);
    for (int others = 0; others < 18; ++others) {
        CHECK(next() != "low");
    }
    CHECK(next() == "low");
}

// Goal: other inputs are handled while many tasks are placed. Method: more tasks than one pass
// reads; a request between two wakes; then all run, and each arrival is published once.
TEST_CASE("a change of many tasks is planned in several steps", "[coordinator][planning]") {
    constexpr std::size_t many = 9'000;
    CoordinatorOptions options;
    options.rows_of_step = many;  // Applied in one step.
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    for (const char* const node : {"n1", "n2", "n3"}) {
        harness.join(node);
    }
    harness.pass(2s);
    ApplyRequest apply;
    for (std::size_t number = 0; number < many; ++number) {
        apply.tasks.push_back(CoordinatorHarness::wanted("t" + std::to_string(10'000 + number), 1));
    }
    REQUIRE(harness.ask(apply)->result);
    const auto started = [&] {
        std::size_t count = 0;
        for (const auto& [name, fake] : harness.fakes) {
            count += fake.instances.size();
        }
        return count;
    };
    const std::size_t first = started();
    CHECK(first > 0);
    CHECK(first < many);
    REQUIRE(harness.coordinator.next_deadline() <= harness.now);
    CHECK(harness.status().tasks == many);
    CHECK(started() == first);  // Only a wake continues.
    harness.give(Wake{});
    CHECK(started() > first);
    harness.pass(Duration::zero());
    CHECK(started() == many);
    CHECK(harness.coordinator.next_deadline() > harness.now);
    harness.pass(5s);
    CHECK(harness.status().converged);
    CHECK(std::ranges::count(harness.events, "task.converged", &Event::topic) ==
          static_cast<std::ptrdiff_t>(many));
}

// Goal: all tasks that become unplaced in one pass are published in that pass. Method: more tasks
// than one step publishes run on one node, which falls silent; no other node suits them.
TEST_CASE("many tasks that become unplaced in one pass are published together", "[planning]") {
    constexpr std::size_t many = 1'200;
    CoordinatorOptions options;
    options.rows_of_step = many;
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    for (const char* const node : {"n1", "n2", "n3", "n4"}) {
        harness.join(node);
    }
    harness.pass(2s);
    ApplyRequest apply;
    for (std::size_t number = 0; number < many; ++number) {
        WantedTask task = CoordinatorHarness::wanted("t" + std::to_string(10'000 + number), 1);
        task.place.constraints = {{.key = "node", .op = ConstraintOp::equal, .values = {"n1"}}};
        apply.tasks.push_back(std::move(task));
    }
    REQUIRE(harness.ask(apply)->result);
    harness.pass(5s);
    REQUIRE(harness.status().running == many);
    harness["n1"].answers = false;
    const auto unplaced_events = [&] {
        return std::ranges::count(harness.events, "task.unplaced", &Event::topic);
    };
    for (int passes = 0; unplaced_events() == 0 && passes < 20; ++passes) {
        harness.pass(options.round);
    }
    CHECK(unplaced_events() == static_cast<std::ptrdiff_t>(many));
    harness.pass(10 * options.round);
    CHECK(unplaced_events() == static_cast<std::ptrdiff_t>(many));
}
