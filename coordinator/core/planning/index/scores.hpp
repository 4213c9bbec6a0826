#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "coordinator/core/nodes/node_set.hpp"

namespace muster::coordinator {

/// How good a node that passes the filters is for an instance: the smaller, the better. What comes
/// first decides; the name, as the last, always does.
struct Score {
    std::uint32_t affinity = 0;  ///< 0 idle and warm for the group, 1 of no group, 2 any other.
    std::uint32_t spread = 0;    ///< Instances of the task at home where the label is the same.
    std::uint32_t load = 0;      ///< Instances at home there.
    Rank rank = 0;               ///< By name.

    friend auto operator<=>(const Score&, const Score&) = default;
};

/// The first part in which the better one is better: the code that an explanation shows.
[[nodiscard]] constexpr std::string_view decided_by(const Score& better, const Score& next) {
    if (better.affinity != next.affinity) {
        return "affinity";
    }
    if (better.spread != next.spread) {
        return "spread";
    }
    return better.load != next.load ? "load" : "name";
}

}  // namespace muster::coordinator
