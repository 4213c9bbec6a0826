#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/mutants/hunt.hpp"
#include "sim/program/random_run.hpp"
#include "sim/program/replay_file.hpp"

namespace muster::sim {

inline constexpr int error_code = 2;  ///< It cannot be done.

/// What a run is made of where its seed is not to decide.
struct Chosen {
    std::optional<std::uint32_t> nodes;
    std::optional<std::uint32_t> seconds;
    std::optional<std::uint32_t> rows_of_step;
    std::optional<FaultSet> faults;

    [[nodiscard]] RandomRun run_of(std::uint64_t seed) const;
};

enum class Command { soak, replay, replay_file, shrink, mutants, run, speed };

/// What was said on the command line; each verb uses its part.
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
};

/// What was said, or the code that the process ends with: help was printed, or what is wrong.
[[nodiscard]] std::variant<Arguments, int> read_arguments(int argc, char** argv);

}  // namespace muster::sim
