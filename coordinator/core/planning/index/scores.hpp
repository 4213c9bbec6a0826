#pragma once

#include <compare>
#include <cstdint>

#include "common/spec/placement.hpp"
#include "coordinator/core/nodes/node_set.hpp"

namespace muster::coordinator {

/// How good a node that passes the filters is for an instance: the smaller, the better. The first
/// part that differs decides; names always differ. Both the search for a node and explain compare
/// scores.
struct Score {
    std::uint32_t affinity = 0;  ///< 0 idle and warm for the group, 1 of no group, 2 any other.
    std::uint32_t spread = 0;  ///< Instances of the task on nodes with the same value of the label.
    std::uint32_t load = 0;    ///< Instances whose home the node is.
    Rank rank = 0;             ///< By name.

    friend auto operator<=>(const Score&, const Score&) = default;
};

/// False: the first candidate that fits has the least score, because candidates are found in the
/// order of load, then name.
[[nodiscard]] inline bool needs_scores(const PlacementRule& rule) {
    return !rule.spread.empty() || !rule.group.empty();
}

/// A part of a score; the name is the code that an explanation shows.
enum class ScorePart : std::uint8_t { affinity, spread, load, name };

/// The first part in which the better score is better.
[[nodiscard]] constexpr ScorePart decided_by(const Score& better, const Score& next) {
    if (better.affinity != next.affinity) {
        return ScorePart::affinity;
    }
    if (better.spread != next.spread) {
        return ScorePart::spread;
    }
    return better.load != next.load ? ScorePart::load : ScorePart::name;
}

}  // namespace muster::coordinator

template <>
inline constexpr auto muster::enum_names<muster::coordinator::ScorePart> =
    muster::name_list("affinity", "spread", "load", "name");
