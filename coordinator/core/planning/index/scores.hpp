#pragma once

#include <compare>
#include <cstdint>

#include "common/spec/placement.hpp"
#include "coordinator/core/nodes/node_set.hpp"

namespace muster::coordinator {

/// How good a node that passes the filters is for an instance: the smaller, the better. What comes
/// first decides; the name, as the last, always does. The search for a node compares scores, and so
/// does the explanation.
struct Score {
    std::uint32_t affinity = 0;  ///< 0 idle and warm for the group, 1 of no group, 2 any other.
    std::uint32_t spread = 0;    ///< Instances of the task at home where the label is the same.
    std::uint32_t load = 0;      ///< Instances at home there.
    Rank rank = 0;               ///< By name.

    friend auto operator<=>(const Score&, const Score&) = default;
};

/// Load and name are the order in which candidates are found: false, and the first that fits has
/// the least score.
[[nodiscard]] inline bool needs_scores(const PlacementRule& rule) {
    return !rule.spread.empty() || !rule.group.empty();
}

/// A part of a score; the name is the code that an explanation shows.
enum class ScorePart : std::uint8_t { affinity, spread, load, name };

/// The first part in which the better one is better.
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
