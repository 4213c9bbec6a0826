#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/catch.hpp"

#include "sim/scenario/file.hpp"
#include "sim/scenario/run.hpp"
#include "tests/scenarios/written.hpp"

// The scenarios in sim/scenarios have the results that they promise.
namespace muster::sim {
namespace {

ScenarioResult played_file(const std::string& name) {
    ScenarioResult result =
        play_soundly(read_scenario(MUSTER_SOURCE_DIR "/sim/scenarios/" + name + ".toml"));
    REQUIRE(result.is_good());
    return result;
}

const StepResult& step_of(const ScenarioResult& result, std::string_view text) {
    const auto found = std::ranges::find(result.steps, text, &StepResult::text);
    REQUIRE(found != result.steps.end());
    return *found;
}

TEST_CASE("every scenario that is given as an example is tested", "[scenario][written]") {
    std::size_t files = 0;
    for (const auto& file :
         std::filesystem::directory_iterator{MUSTER_SOURCE_DIR "/sim/scenarios"}) {
        CHECK(file.path().extension() == ".toml");
        ++files;
    }
    CHECK(files == 5);  // Each has its test below.
}

TEST_CASE("the loss of a rack costs one start for each of its copies", "[scenario][written]") {
    const auto result = played_file("rack-lost");
    check_moves(result.steps[0], 40, 0);
    const StepResult& crash = step_of(result, "crash rack=r2");
    check_moves(crash, 8, 0);
    CHECK(crash.plans == 1);
    CHECK(crash.short_most == 8);
    CHECK(crash.load_most == 3);
    const StepResult& boot = step_of(result, "boot rack=r2");
    check_moves(boot, 8, 8);
    CHECK(boot.short_most == 0);
    CHECK(boot.load_least == 2);
    CHECK(boot.load_most == 2);
}

TEST_CASE("a rolling reboot is never short of a copy and moves each twice", "[scenario][written]") {
    const auto result = played_file("rolling-reboot");
    REQUIRE(result.steps.size() == 16);
    for (std::size_t step = 1; step < result.steps.size(); ++step) {
        CHECK(result.steps[step].short_most == 0);
        const std::uint64_t moved = result.steps[step].text.starts_with("restart") ? 0 : 2;
        check_moves(result.steps[step], moved, moved);
    }
}

TEST_CASE("a stopped coordinator stops nothing, and repairs once it is back",
          "[scenario][written]") {
    const auto result = played_file("coordinator-away");
    CHECK(step_of(result, "crash-coordinator").made.stops == 0);
    CHECK(step_of(result, "crash n3").made.starts == 0);
    check_moves(step_of(result, "restart-coordinator"), 2, 0);
    check_moves(step_of(result, "resume-coordinator"), 0, 0);
    check_moves(step_of(result, "boot n3"), 2, 2);
}

// A roll-out can end uneven, and the balance evens it out: this takes a few moves more than the
// least.
TEST_CASE("a fleet that grows stays even and is never short of a copy", "[scenario][written]") {
    const auto result = played_file("growing-fleet");
    check_moves(step_of(result, "scale web 40"), 28, 0);
    check_moves(step_of(result, "join 4"), 20, 16);
    const StepResult& apply = step_of(result, "apply");
    CHECK(apply.least->starts == 40);
    CHECK(apply.made.starts <= 44);
    CHECK(apply.short_most == 0);
    const StepResult& drain = step_of(result, "drain n0");
    check_moves(drain, 4, 5);
    CHECK(drain.short_most == 0);
    CHECK(drain.load_most - drain.load_least <= 1);
    check_moves(step_of(result, "leave n0"), 0, 0);
}

TEST_CASE("a fleet that is split is frozen until it is whole, or until an operator ends the freeze",
          "[scenario][written]") {
    const auto result = played_file("split-fleet");
    for (const std::string text : {"partition zone=west", "crash zone=west"}) {
        const StepResult& step = step_of(result, text);
        CHECK_FALSE(step.converged);
        CHECK(step.made.starts == 0);
        CHECK(step.made.stops == 0);
        CHECK(step.short_most == 12);
    }
    check_moves(step_of(result, "heal zone=west"), 0, 0);
    const StepResult& ended = step_of(result, "freeze off");
    check_moves(ended, 12, 0);
    CHECK(ended.plans == 1);
    CHECK(ended.load_most == 4);
}

}  // namespace
}  // namespace muster::sim
