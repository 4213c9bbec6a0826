#include "coordinator/core/notes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace muster {

std::string note_of(const Node& node) {
    if (node.ahead) {
        return "ahead: it knows a later or another store, and nothing is ordered there";
    }
    if (node.gone) {
        return "said goodbye";
    }
    if (node.misses > 0) {
        return "silent for " + std::to_string(node.misses) +
               (node.misses == 1 ? " poll" : " polls");
    }
    if (!node.reported) {
        return node.lost ? "lost before this leadership" : "has not reported yet";
    }
    if (node.host.spawn_failing) {
        return "cannot make processes";
    }
    return node.host.journal_failing ? "cannot write its own state" : "";
}

std::string_view why_not_serving(const Node& node) {
    if (health_of(node) != Health::healthy) {
        return to_string(health_of(node));
    }
    if (node.intent != Intent::active) {
        return to_string(node.intent);
    }
    if (node.ahead || node.durable.ahead) {
        return "ahead";
    }
    return node.reported ? "no_orders" : "unreported";
}

std::string counted_verdicts(std::span<const VerdictView> said) {
    std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> counts;
    for (const VerdictView& verdict : said) {
        // Of a constraint it matters which; of all else the code says it.
        const bool is_label = verdict.code == "label";
        ++counts[{verdict.code, is_label ? std::string_view{verdict.detail} : std::string_view{}}];
    }
    std::vector<std::pair<std::uint32_t, std::string>> sorted;
    for (const auto& [what, count] : counts) {
        sorted.emplace_back(count, std::string{what.first} +
                                       (what.second.empty() ? "" : " " + std::string{what.second}));
    }
    std::ranges::stable_sort(sorted,
                             [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text = said.empty() ? "no eligible node: there are none" : "no eligible node";
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        text += (i == 0 ? ": " : ", ") + std::to_string(sorted[i].first) + ' ' + sorted[i].second;
    }
    return text;
}

}  // namespace muster
