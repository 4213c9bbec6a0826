#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "sim/mutants/mutants.hpp"

namespace muster::sim {

struct HuntOptions {
    std::uint64_t first = 1;
    std::uint64_t seeds = 5'000;  ///< After this many seeds the mutant counts as not caught.
    std::uint32_t jobs = 1;       ///< Mutants that are hunted at a time.
};

/// The result for one mutant.
struct Hunted {
    const Mutant* mutant = nullptr;
    /// What caught it: a promise such as `S7`; `ensure` if the cores noticed; `signal 11`; `no
    /// end`. Empty: it was not caught.
    std::string checker;
    std::uint64_t seeds = 0;         ///< Seeds that were run, including this one.
    std::uint64_t false_alarms = 0;  ///< Of these, broken without it, too.
    double seconds = 0;
    std::string again;  ///< The command that reproduces it.
};

/// Runs random clusters under each of these mutants, in separate processes, until a run breaks a
/// promise that holds without the mutant. Calls `on_done` with each result. Fails if no process can
/// be created.
[[nodiscard]] Result<void> hunt(const HuntOptions& options,
                                const std::vector<const Mutant*>& mutants,
                                const std::function<void(const Hunted&)>& on_done);

}  // namespace muster::sim
