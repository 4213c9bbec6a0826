#pragma once

#include <cstdint>

/// What the operators of a cluster chose for all of its tasks and nodes.
namespace muster::coordinator {

/// When an even spread is worth moves of running copies.
enum class Rebalance : std::uint8_t {
    automatic,  ///< Whenever loads are uneven.
    on_demand,  ///< When an operator asks.
    off,        ///< Never.
};

/// What becomes of that which runs on a node that is suspended for its conduct.
enum class FlakyTasks : std::uint8_t {
    keep,  ///< It stays where it is.
    move,  ///< It is started elsewhere and then stopped there, as far as there is room.
};

}  // namespace muster::coordinator
