#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// `it is exclusive and may still run on n3; another node starts it in 23 s, ...`.
[[nodiscard]] std::string describe_hold(const Leases::Hold& hold, Duration left);
/// Counted verdicts of the nodes on one more instance.
struct CountedVerdicts {
    bool is_any_asked = false;
    std::vector<NodeReason> reasons;  ///< Why nodes do not fit, the most frequent reason first.
};
/// The code of a node's verdict, and the label or pool.
using CodedVerdict = std::pair<std::string_view, std::string_view>;
[[nodiscard]] CountedVerdicts count_verdicts(std::span<const CodedVerdict> counted);
[[nodiscard]] CountedVerdicts count_verdicts(std::span<const VerdictView> counted);
/// `no eligible node: 3 full, 2 lost, 1 label`.
[[nodiscard]] std::string describe(const CountedVerdicts& counted);
/// `2: no node serves; 1: ...`: each shortage with its count and a text for its code.
[[nodiscard]] std::string describe_shortages(std::span<const Shortage> shortages,
                                             const auto& in_words) {
    return joined(shortages, "; ", [&](const Shortage& shortage) {
        return std::to_string(shortage.count) + ": " + std::string{in_words(shortage.code)};
    });
}

}  // namespace muster::coordinator
