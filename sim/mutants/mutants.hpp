#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::sim {

/// A deliberate bug in the cores: a guard, a fence or a limit is left out.
struct Mutant {
    int number = 0;
    std::string_view name;
    std::string_view file;
    std::string_view why;  ///< What is left out.
    // The runs that show it. Unset values come from the seed.
    std::uint32_t nodes = 0;
    std::uint32_t seconds = 0;
    std::string_view faults;
    bool is_hunted = false;  ///< By the simulator. The others are found by tests, by their ids.
};

/// The mutants of this build. None, unless it was configured with MUSTER_MUTANTS.
[[nodiscard]] std::span<const Mutant> mutants();
/// Activates this mutant alone in this process. nullptr: no mutant.
void activate(const Mutant* mutant);

}  // namespace muster::sim
