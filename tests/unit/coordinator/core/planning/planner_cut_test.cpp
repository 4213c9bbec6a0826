#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_bench_top.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

// More is due than one step may take: the plan comes in pieces.
using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::test::Fleet;
using muster::coordinator::testing::BenchTop;

namespace {

Scope at_most(std::size_t most) {
    Scope scope;
    scope.most = most;
    return scope;
}

}  // namespace

// Goal: what a cut round leaves is done by the next ones, once. Method: forty tasks of two, a few
// at a time.
TEST_CASE("a round that is cut is gone on with", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(4);
    for (int number = 0; number < 40; ++number) {
        fleet.want("t" + std::to_string(number), 2);
    }
    std::set<std::string> ordered;
    Plan plan;
    int rounds = 0;
    do {
        plan = fleet.planner.plan(at_most(12));  // Four tasks with two ordinals each.
        CHECK(plan.orders.size() <= 8);
        for (const Order& order : plan.orders) {
            CHECK(ordered
                      .insert(fleet.workload.name(order.task) + "." + std::to_string(order.ordinal))
                      .second);
        }
        fleet.carry_out(plan);
        ++rounds;
    } while (plan.is_cut && rounds < 100);
    CHECK(rounds >= 10);
    CHECK(ordered.size() == 80);
    fleet.report_all();
    CHECK(fleet.settle());
    CHECK(fleet.is_planned_evenly());
}

// Goal: a high priority does not wait for a low one, whichever was wanted first.
// Method: the last task that is wanted has the highest.
TEST_CASE("a round that is cut takes the highest priority first", "[planner]") {
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
    CHECK(fleet.settle());
    CHECK(fleet.running("a0") == 1);
}

// Goal: while many tasks are placed, others are heard. Method: more tasks than one pass looks at; a
// question between two wakes; then all run, and each arrival is told once.
TEST_CASE("a change of many tasks is planned in several steps", "[coordinator][planning]") {
    constexpr std::size_t many = 9'000;
    CoordinatorOptions options;
    options.rows_of_step = many;  // It is taken over in one.
    BenchTop bench{BenchTop::empty_store(), options};
    for (const char* const node : {"n1", "n2", "n3"}) {
        bench.join(node);
    }
    bench.pass(2s);
    ApplyRequest apply;
    for (std::size_t number = 0; number < many; ++number) {
        apply.tasks.push_back(BenchTop::wanted("t" + std::to_string(10'000 + number), 1));
    }
    REQUIRE(bench.ask(apply)->result);
    const auto started = [&] {
        std::size_t count = 0;
        for (const auto& [name, puppet] : bench.puppets) {
            count += puppet.instances.size();
        }
        return count;
    };
    const std::size_t first = started();
    CHECK(first > 0);
    CHECK(first < many);
    REQUIRE(bench.coordinator.next_deadline() <= bench.now);
    CHECK(bench.status().tasks == many);
    CHECK(started() == first);  // Only a wake goes on.
    bench.give(Wake{});
    CHECK(started() > first);
    bench.pass(Duration::zero());
    CHECK(started() == many);
    CHECK(bench.coordinator.next_deadline() > bench.now);
    bench.pass(5s);
    CHECK(bench.status().converged);
    CHECK(std::ranges::count(bench.events, "task.converged", &Event::topic) ==
          static_cast<std::ptrdiff_t>(many));
}
