#pragma once

#include <string>

#include "common/base/result.hpp"

namespace muster::sim {

struct ReplayOptions {
    std::string file;
    std::string until{};  ///< A duration from the beginning, or a civil time. Empty: to the end.
    std::string
        explain{};       ///< What is asked of the core then: `web.3`, `web`, `n7`. Empty: nothing.
    bool trace = false;  ///< Print every decision.
};

/// Replays what a coordinator recorded, prints its decisions, and reports where this program
/// decides differently. True: every output is the same, byte for byte. Damage is an error, after
/// the part before the damage was replayed and explained.
[[nodiscard]] Result<bool> replay_file(const ReplayOptions& options);

}  // namespace muster::sim
