#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "sim/faults/faults.hpp"

namespace muster::sim {

/// The values of a random run. The same values give the same run.
struct RandomRun {
    std::uint64_t seed = 1;
    std::uint32_t nodes = 4;
    std::uint32_t coordinators = 1;  ///< As in ClusterOptions.
    std::uint32_t pools = 0;         ///< Whose nodes a provider makes.
    Duration faults_last = 60s;      ///< Simulated time. Then everything is healed.
    FaultSet faults;
    bool keep_routine = false;        ///< Polls and unchanged answers are lines of the trace, too.
    bool hash_outputs = false;        ///< As in ClusterOptions.
    std::uint32_t restore_every = 0;  ///< As in ClusterOptions.
    /// Rows of a change in one step of the coordinator. Nothing: more than any run has.
    std::optional<std::uint32_t> rows_of_step{};
    std::string record{};  ///< As in ClusterOptions.
    std::uint64_t record_bytes = std::uint64_t{256} << 20U;
};

/// A run with the number of nodes and the faults of the seed.
[[nodiscard]] RandomRun drawn_run(std::uint64_t seed);

/// The command that repeats this run.
[[nodiscard]] std::string command_of(const RandomRun& run);

struct RunResult {
    std::vector<std::string> violations;  ///< With the end of the trace.
    std::uint64_t hash = 0;               ///< Of the whole trace.
    std::uint64_t outputs_hash = 0;       ///< Of all outputs of the cores, if they are hashed.
    Duration simulated{};
    std::string trace;
    std::optional<std::string> not_recorded{};  ///< Why the recording failed, if it was requested.

    [[nodiscard]] bool is_good() const { return violations.empty(); }
    /// The first promise that was broken, as `S7`. Empty: none.
    [[nodiscard]] std::string broken() const;
};

/// Random operations and faults for a while, then healing, then the verdict whether the cluster
/// converged. Every checker runs after every step.
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

/// Carries out many runs in the requested number of processes. After each run it calls `on_done`
/// with the progress, and with the report of a run that broke a promise or ended its process. Fails
/// if no process can be created.
[[nodiscard]] Result<SoakResult> soak(
    const SoakOptions& options,
    const std::function<void(const SoakResult&, const std::string& broken)>& on_done);

/// A smaller run with the same verdict: without unneeded faults, shorter, with fewer nodes. Repeats
/// all steps until none helps (greedy, like delta debugging at its finest grain: Zeller,
/// Hildebrandt 2002). `judge` carries out a run and names the promise that it breaks. Calls
/// `on_done` with each smaller run.
[[nodiscard]] RandomRun shrink(const RandomRun& broken,
                               const std::function<std::string(const RandomRun&)>& judge,
                               const std::function<void(const RandomRun&)>& on_done);

}  // namespace muster::sim
