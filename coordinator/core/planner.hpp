#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/ids.hpp"
#include "coordinator/core/placements.hpp"
#include "coordinator/core/workload.hpp"

namespace muster {

/// All orders of one round, in a deterministic order. What is not said, stays.
struct Plan {
    std::vector<Order> orders;

    friend bool operator==(const Plan&, const Plan&) = default;
};

/// Why instances of a task have no home.
struct Shortage {
    std::string_view code;  ///< no_nodes | max_per_node | recovering
    std::uint32_t count = 0;
};

/// What a round may do.
struct Scope {
    /// In recovery, the counter at the leadership's start: tasks of generations up to it stay as
    /// they are, and of tasks changed since, only copies already reported are replaced.
    std::optional<Generation> held_back;
    bool balance = true;  ///< Only when a term closed: moves between nodes are not urgent.
};

}  // namespace muster
