#pragma once

#include <cstdint>

/// What the operators of a cluster chose for all of its tasks and nodes.
namespace muster {

/// When an even spread is worth moves of running copies.
enum class Rebalance : std::uint8_t {
    automatic,  ///< Whenever loads are uneven.
    on_demand,  ///< When an operator asks.
    off,        ///< Never.
};

}  // namespace muster
