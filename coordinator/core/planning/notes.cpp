#include "coordinator/core/planning/notes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>

namespace muster::coordinator {

std::string told_hold(const Leases::Hold& hold, Duration left) {
    const std::string where =
        hold.node.empty() ? "under a lease of the leadership before this one" : "on " + hold.node;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(left);
    return "it is exclusive and may still run " + where +
           "; until its lease is over for sure, another " + std::to_string(seconds.count()) +
           " s, it is started nowhere else";
}

std::vector<NodeReason> count_verdicts(std::span<const VerdictView> said) {
    std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> counts;
    for (const VerdictView& verdict : said) {
        if (verdict.code == "fits") {
            continue;
        }
        // Of a constraint and a pool it matters which; of all else the code says it.
        const bool is_told_apart = verdict.code == "label" || verdict.code == "pool";
        ++counts[{verdict.code, is_told_apart ? std::string_view{verdict.detail} : ""}];
    }
    std::vector<NodeReason> reasons;
    reasons.reserve(counts.size());
    for (const auto& [what, count] : counts) {
        reasons.push_back({std::string{what.first}, count, std::string{what.second}});
    }
    std::ranges::stable_sort(reasons, std::ranges::greater{}, &NodeReason::count);
    return reasons;
}

std::string counted_verdicts(std::span<const VerdictView> said) {
    std::string text = said.empty() ? "no eligible node: there are none" : "no eligible node";
    std::string_view before = ": ";
    for (const NodeReason& reason : count_verdicts(said)) {
        text += std::string{before} + std::to_string(reason.count) + ' ' + reason.code +
                (reason.detail.empty() ? "" : " " + reason.detail);
        before = ", ";
    }
    return text;
}

}  // namespace muster::coordinator
