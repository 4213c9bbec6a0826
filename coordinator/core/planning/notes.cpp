#include "coordinator/core/planning/notes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

namespace muster::coordinator {

std::string describe_hold(const Leases::Hold& hold, Duration left) {
    const std::string where =
        hold.node.empty() ? "under a lease of the previous leadership" : "on " + hold.node;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(left);
    return "it is exclusive and may still run " + where + "; another node starts it in " +
           std::to_string(seconds.count()) + " s, when that lease has certainly ended";
}

CountedVerdicts count_verdicts(std::span<const CodedVerdict> counted) {
    std::map<CodedVerdict, std::uint32_t> counts;
    for (const auto& [code, detail] : counted) {
        // For a constraint or a pool the detail matters; for all others the code is enough.
        const bool has_own_count = code == "label" || code == "pool";
        ++counts[{code, has_own_count ? detail : std::string_view{}}];
    }
    counts.erase({"fits", {}});
    CountedVerdicts all{!counted.empty(), {}};
    for (const auto& [what, count] : counts) {
        all.reasons.push_back({std::string{what.first}, count, std::string{what.second}});
    }
    std::ranges::stable_sort(all.reasons, std::ranges::greater{}, &NodeReason::count);
    return all;
}

CountedVerdicts count_verdicts(std::span<const VerdictView> counted) {
    std::vector<CodedVerdict> pairs;
    for (const VerdictView& one : counted) {
        pairs.emplace_back(one.code, one.detail);
    }
    return count_verdicts(pairs);
}

std::string describe(const CountedVerdicts& counted) {
    std::string text =
        counted.is_any_asked ? "no eligible node" : "no eligible node: there are no nodes";
    std::string_view before = ": ";
    for (const NodeReason& reason : counted.reasons) {
        text += std::string{before} + std::to_string(reason.count) + ' ' + reason.code +
                (reason.detail.empty() ? "" : " " + reason.detail);
        before = ", ";
    }
    return text;
}

}  // namespace muster::coordinator
