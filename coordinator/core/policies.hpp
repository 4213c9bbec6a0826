#pragma once

#include <cstdint>

/// Choices of the operators for all tasks and nodes of a cluster.
namespace muster::coordinator {

/// When the balance moves running copies.
enum class Rebalance : std::uint8_t {
    automatic,  ///< Whenever loads are uneven.
    on_demand,  ///< When an operator asks.
    off,        ///< Never.
};

/// What happens to the instances on a suspended node.
enum class FlakyTasks : std::uint8_t {
    keep,  ///< They stay there.
    move,  ///< They are started elsewhere and then stopped there, as far as there is room.
};

}  // namespace muster::coordinator
