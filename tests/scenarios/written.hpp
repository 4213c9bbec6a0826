#pragma once

#include <cstdint>
#include <string>

#include "tests/catch.hpp"

#include "sim/scenario/file.hpp"
#include "sim/scenario/run.hpp"

namespace muster::sim {

/// Runs a scenario that breaks no promise. No step that converged took fewer starts or stops than
/// the least possible number.
inline ScenarioResult play_soundly(const Result<Scenario>& scenario,
                                   const PlayOptions& options = {}) {
    INFO((scenario ? "" : scenario.error().detail));
    REQUIRE(scenario.has_value());
    ScenarioResult result = play(*scenario, options);
    for (const std::string& violation : result.violations) {
        UNSCOPED_INFO(violation);
    }
    REQUIRE(result.violations.empty());
    for (const StepResult& step : result.steps) {
        INFO(step.text);
        CHECK(step.violations == 0);
        REQUIRE(step.least.has_value() == step.converged.has_value());
        CHECK((!step.least || step.made.starts >= step.least->starts));
        CHECK((!step.least || step.made.stops >= step.least->stops));
    }
    return result;
}

/// Checks the numbers of starts and stops, and that they are the fewest possible.
inline void check_moves(const StepResult& step, std::uint64_t starts, std::uint64_t stops) {
    INFO(step.text);
    REQUIRE(step.least.has_value());
    CHECK(step.made.starts == starts);
    CHECK(step.made.stops == stops);
    CHECK(step.least->starts == starts);
    CHECK(step.least->stops == stops);
}

}  // namespace muster::sim
