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
    std::uint64_t seeds = 5'000;  ///< After so many a mutant has got away.
    std::uint32_t jobs = 1;       ///< Mutants that are hunted at a time.
};

/// What became of one mutant.
struct Hunted {
    const Mutant* mutant = nullptr;
    /// That caught it: a promise such as `S7`; `ensure`, where the cores themselves noticed;
    /// `signal 11`, `no end`. Empty: it got away.
    std::string checker;
    std::uint64_t seeds = 0;         ///< That were run, this one included.
    std::uint64_t false_alarms = 0;  ///< Of them, those that are broken without it, too.
    double seconds = 0;
    std::string again;  ///< The command that shows it.
};

/// Runs random clusters under each of these mutants, in processes of their own, until one breaks
/// that is good without it. `told` hears of each. Fails when no process can be made.
[[nodiscard]] Result<void> hunt(const HuntOptions& options,
                                const std::vector<const Mutant*>& mutants,
                                const std::function<void(const Hunted&)>& told);

}  // namespace muster::sim
