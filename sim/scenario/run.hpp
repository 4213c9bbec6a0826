#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/file.hpp"
#include "sim/scenario/least.hpp"

namespace muster::sim {

/// The cost and the result of one step of a scenario.
struct StepResult {
    Duration at{};     ///< Since the beginning.
    std::string text;  ///< `begin`, or the verb as it was written.
    /// From the step until the cluster converged and stayed so: everything wanted runs and nothing
    /// else, nothing moves, nothing is frozen, and each node in reach serves. Nothing: it had not
    /// when the next step came or the patience was over.
    std::optional<Duration> converged{};
    // Until then, or until the step's end.
    std::uint64_t plans = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    Moves made{};
    std::optional<Moves> least{};  ///< See least_moves(). Only for steps that converged.
    std::uint64_t short_most = 0;  ///< The most copies short at one time.
    Duration short_for{};          ///< How long any copy was short.
    // At the step's end.
    std::size_t load_least = 0;  ///< Processes of an open node.
    std::size_t load_most = 0;
    std::optional<std::uint32_t> unplaced{};  ///< Nothing: no coordinator answers.
    std::vector<std::string> notes{};         ///< Sentences for people.
    std::size_t refused = 0;     ///< Actions that the coordinator refused, or that lacked an agent.
    std::size_t violations = 0;  ///< Promises broken during the step.
};

struct ScenarioResult {
    std::vector<StepResult> steps;
    bool converged = false;   ///< After the last step.
    std::size_t refused = 0;  ///< In all steps.
    std::vector<std::string> violations;
    Duration simulated{};
    std::size_t nodes = 0;
    std::uint64_t hash = 0;  ///< Of the trace.
    std::string trace;       ///< If it was requested.

    [[nodiscard]] bool is_good() const { return converged && refused == 0 && violations.empty(); }
};

struct PlayOptions {
    bool trace = false;
};

/// Plays the scenario: all nodes start, then the tasks are applied (the step `begin`), then the
/// steps follow. The same scenario gives the same result.
[[nodiscard]] ScenarioResult play(const Scenario& scenario, const PlayOptions& options);

}  // namespace muster::sim
