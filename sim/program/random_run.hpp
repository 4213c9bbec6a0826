#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "sim/faults/faults.hpp"

namespace muster::sim {

/// What a random run is made of: with the same values it is the same run.
struct RandomRun {
    std::uint64_t seed = 1;
    std::uint32_t nodes = 4;
    Duration faults_last = 60s;  ///< Simulated; then all is healed.
    FaultSet faults;
    bool keep_routine = false;        ///< Polls and unchanged answers are lines of the trace, too.
    bool hash_outputs = false;        ///< As in ClusterOptions.
    std::uint32_t restore_every = 0;  ///< Likewise.
    /// Of a change, in a step of the coordinator; instead of as many as no run has.
    std::optional<std::uint32_t> rows_of_step{};
    std::string record{};  ///< Likewise.
    std::uint64_t record_bytes = std::uint64_t{256} << 20U;
};

/// As many nodes, and those faults, as the seed has it.
[[nodiscard]] RandomRun drawn_run(std::uint64_t seed);

/// The command that does this run again.
[[nodiscard]] std::string command_of(const RandomRun& run);

struct RunResult {
    std::vector<std::string> violations;  ///< With the end of the trace.
    std::uint64_t hash = 0;               ///< Of the whole trace.
    std::uint64_t outputs_hash = 0;       ///< Of all outputs of the cores, if they are hashed.
    Duration simulated{};
    std::string trace;
    std::optional<std::string> not_recorded{};  ///< Why, if it was to be recorded.

    [[nodiscard]] bool is_good() const { return violations.empty(); }
    /// The first that was broken, as `S7`; empty: none.
    [[nodiscard]] std::string broken() const;
};

/// Random operations and faults for a while, then healing, and the judgement whether wanted became
/// actual. Every checker looks after every step.
[[nodiscard]] RunResult carry_out(const RandomRun& run);

struct SoakOptions {
    std::uint64_t first = 1;
    std::uint64_t seeds = 1;
    std::uint32_t jobs = 1;
    std::function<RandomRun(std::uint64_t seed)> run_of = drawn_run;
};

struct SoakResult {
    std::uint64_t done = 0;
    std::uint64_t broken = 0;
    Duration simulated{};
};

/// Carries out many runs in as many processes of their own as asked for. `told` hears after each
/// run how far it is, and the words of a run that broke a promise or ended its process. Fails when
/// no process can be made.
[[nodiscard]] Result<SoakResult> soak(
    const SoakOptions& options,
    const std::function<void(const SoakResult&, const std::string& broken)>& told);

/// A smaller run of the same verdict: without the faults it does not need, shorter, with fewer
/// nodes; each step is tried until none helps any more (greedy, as delta debugging at its finest
/// grain: Zeller, Hildebrandt 2002). `judge` carries a run out and names the promise that it
/// breaks; `told` hears of each smaller run that was found.
[[nodiscard]] RandomRun shrink(const RandomRun& broken,
                               const std::function<std::string(const RandomRun&)>& judge,
                               const std::function<void(const RandomRun&)>& told);

}  // namespace muster::sim
