#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::sim {

/// A bug that was put into the cores on purpose: a guard, a fence, a limit that is left out.
struct Mutant {
    int number = 0;
    std::string_view name;
    std::string_view file;
    std::string_view why;  ///< What is left out.
    // How runs have to be to show it; as the seed has it where nothing is said.
    std::uint32_t nodes = 0;
    std::uint32_t seconds = 0;
    std::string_view faults;
    bool is_hunted = false;  ///< By the simulator. The other ones are found by tests, by their ids.
};

/// Those of this build: none, unless it was configured with MUSTER_MUTANTS.
[[nodiscard]] std::span<const Mutant> mutants();
/// From now on it is at work in this process, and no other; nullptr: none is.
void put_to_work(const Mutant* mutant);

}  // namespace muster::sim
