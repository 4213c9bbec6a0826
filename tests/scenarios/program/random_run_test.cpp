#include "sim/program/random_run.hpp"

#include <cstdint>
#include <string>

#include "tests/catch.hpp"

namespace muster::sim {
namespace {

TEST_CASE("a written set of faults reads back the same", "[scenario][random]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const FaultSet faults = FaultSet::drawn(seed);
        CHECK(FaultSet::parse(faults.text()) == faults);
    }
    CHECK(FaultSet::parse("all") == FaultSet::all());
    CHECK(FaultSet::all().text() == "all");
    CHECK(FaultSet::parse("none")->text() == "none");
    CHECK(FaultSet::parse("late,power")->text() == "late,power");
    CHECK(FaultSet::parse("all,-keys") == FaultSet::all().without(Fault::keys));
    const auto wrong = FaultSet::parse("late,flood");
    REQUIRE_FALSE(wrong);
    CHECK_THAT(
        wrong.error().detail,
        Catch::StartsWith("'flood' is not a fault; use all, none, or some of loss,drop,late,"));
}

TEST_CASE("the command of a run names what its seed would not draw", "[scenario][random]") {
    RandomRun run = drawn_run(17);
    CHECK(command_of(run) == "muster-sim replay 17");
    run.nodes = 9;
    run.faults_last = 7s;
    run.faults = FaultSet::parse("late,power").value();
    CHECK(command_of(run) == "muster-sim replay 17 --nodes 9 --seconds 7 --faults late,power");
}

// Method: a check that fails with two faults, three nodes and eleven seconds; S9 is another
// promise.
TEST_CASE("a run is shrunk to the smallest one that breaks the same promise",
          "[scenario][random]") {
    RandomRun run = drawn_run(17);
    run.nodes = 6;
    run.faults = FaultSet::all();
    std::uint32_t steps = 0;
    const auto judge = [](const RandomRun& tried) -> std::string {
        if (!tried.faults.has(Fault::freeze)) {
            return "S9";
        }
        const bool is_enough = tried.faults.has(Fault::late) && tried.nodes >= 3;
        return is_enough && tried.faults_last >= 11s ? "S7" : "";
    };
    const RandomRun least = shrink(run, judge, [&](const RandomRun&) { ++steps; });
    CHECK(least.seed == 17);
    CHECK(least.nodes == 3);
    CHECK(least.faults_last == 11s);
    CHECK(least.faults.text() == "late,freeze");
    CHECK(steps >= fault_count - 2);
}

}  // namespace
}  // namespace muster::sim
