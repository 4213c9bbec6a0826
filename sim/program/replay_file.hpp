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

/// Replays what a coordinator recorded, and prints what it did and where this program decides
/// otherwise. True: every output is byte for byte as it was. What is damaged is an error, after
/// what is before it was replayed and explained.
[[nodiscard]] Result<bool> replay_file(const ReplayOptions& options);

}  // namespace muster::sim
