#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// `it is exclusive and may still run on n3; until its lease is over for sure, another 23 s, ...`.
[[nodiscard]] std::string describe_hold(const Leases::Hold& hold, Duration left);
/// What nodes said of one more instance, counted.
struct CountedVerdicts {
    bool is_any_asked = false;
    std::vector<NodeReason> reasons;  ///< Why not, the most frequent first.
};
/// A node's verdict, and of a label or a pool which.
using SaidVerdict = std::pair<std::string_view, std::string_view>;
[[nodiscard]] CountedVerdicts count_verdicts(std::span<const SaidVerdict> said);
[[nodiscard]] CountedVerdicts count_verdicts(std::span<const VerdictView> said);
/// `no eligible node: 3 full, 2 lost, 1 label`.
[[nodiscard]] std::string describe(const CountedVerdicts& said);
/// `2: no node serves; 1: ...`: each with its count, and its code in words.
[[nodiscard]] std::string describe_shortages(std::span<const Shortage> shortages,
                                             const auto& in_words) {
    return joined(shortages, "; ", [&](const Shortage& shortage) {
        return std::to_string(shortage.count) + ": " + std::string{in_words(shortage.code)};
    });
}

}  // namespace muster::coordinator
