#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/mutants/hunt.hpp"
#include "sim/program/random_run.hpp"
#include "sim/program/replay_file.hpp"
#include "sim/program/try_pools.hpp"

namespace muster::sim {

inline constexpr int error_code = 2;  ///< The command cannot be carried out.

/// Values of a run that override its seed.
struct Chosen {
    std::optional<std::uint32_t> nodes;
    std::optional<std::uint32_t> seconds;
    std::optional<std::uint32_t> rows_of_step;
    std::optional<std::uint32_t> coordinators;
    std::optional<std::uint32_t> pools;
    std::optional<FaultSet> faults;

    [[nodiscard]] RandomRun run_of(std::uint64_t seed) const;
};

enum class Command { soak, replay, replay_file, shrink, mutants, run, speed, pools };

/// The command line. Each verb uses its part.
struct Arguments {
    Command command = Command::soak;
    Chosen chosen;
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1'000;
    std::uint32_t jobs = 1;
    std::string record;
    ReplayOptions replay;
    bool routine = false;
    std::string scenario;
    std::optional<std::uint64_t> scenario_seed;
    std::string output = "table";
    bool trace = false;
    bool lists = false;
    HuntOptions hunt;
    std::vector<std::string> mutants;
    PoolsOptions pools;
};

/// The arguments, or the exit code if help was printed or something is wrong.
[[nodiscard]] std::variant<Arguments, int> read_arguments(int argc, char** argv);

}  // namespace muster::sim
