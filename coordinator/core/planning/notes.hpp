#pragma once

#include <span>
#include <string>
#include <vector>

#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// `it is exclusive and may still run on n3; until its lease is over for sure, another 23 s, ...`.
[[nodiscard]] std::string told_hold(const Leases::Hold& hold, Duration left);
/// What each node said, counted, as data; of those ruled out by a label or a pool also which.
[[nodiscard]] std::vector<NodeReason> count_verdicts(std::span<const VerdictView> said);
/// `no eligible node: 3 full, 2 lost, 1 label`, the most frequent first.
[[nodiscard]] std::string counted_verdicts(std::span<const VerdictView> said);
/// `2: no node serves; 1: ...`: each with its count, and its code in words.
[[nodiscard]] std::string told_shortages(std::span<const Shortage> shortages,
                                         const auto& in_words) {
    return joined(shortages, "; ", [&](const Shortage& shortage) {
        return std::to_string(shortage.count) + ": " + std::string{in_words(shortage.code)};
    });
}

}  // namespace muster::coordinator
