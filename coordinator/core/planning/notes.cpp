#include "coordinator/core/planning/notes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "coordinator/core/planning/pass/reading.hpp"

namespace muster::coordinator {

namespace {

/// What a code means, in words.
struct Meaning {
    std::string_view code;
    std::string_view sentence;
};

/// Empty: none of them.
std::string_view meaning_of(std::span<const Meaning> meanings, std::string_view code) {
    const auto found = std::ranges::find(meanings, code, &Meaning::code);
    return found == meanings.end() ? std::string_view{} : found->sentence;
}

}  // namespace

std::string told_hold(const Leases::Hold& hold, Duration left) {
    const std::string where =
        hold.node.empty() ? "under a lease of the leadership before this one" : "on " + hold.node;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(left);
    return "it is exclusive and may still run " + where +
           "; until its lease is over for sure, another " + std::to_string(seconds.count()) +
           " s, it is started nowhere else";
}

std::string_view sentence_of(std::string_view shortage_code) {
    static constexpr std::array meanings{
        Meaning{"no_nodes", "no node serves"},
        Meaning{"not_serving", "of the nodes that suit none serves at present"},
        Meaning{"pool", "no serving node is of the task's pool"},
        Meaning{"label", "no serving node's labels meet the constraints"},
        Meaning{"cpu", "no node that suits has the cpu left"},
        Meaning{"memory", "no node that suits has the memory left"},
        Meaning{"slots", "no node that suits has the slots left"},
        Meaning{"max_per_node",
                "every serving node that suits has max_per_node copies of the task"},
        Meaning{"full", "every serving node that suits has as many instances as a node may"},
        Meaning{recovering_code,
                "may run already; nothing is placed before every known node has reported"},
        Meaning{refused_code, "the nodes that could take it refuse it, or it failed there"},
        Meaning{frozen_code, "its node is lost, and nothing is rescheduled in the freeze"},
        Meaning{awaited_code, "its node is lost, and reschedule_after is not over"},
        Meaning{lease_code,
                "it may still run under its lease where nobody can see it, or no node that suits "
                "has said yet that it keeps leases"},
        Meaning{starts_spent_code, "starts_per_term allows no more now; see 'muster limit list'"},
        Meaning{held_up_code, "max_surge and max_unavailable leave no room for the roll-out"},
    };
    return meaning_of(meanings, shortage_code);
}

std::string_view sentence_of_blocker(std::string_view code) {
    static constexpr std::array meanings{
        Meaning{"starting", "its copy, elsewhere or here, is about to run"},
        Meaning{"target_down", "its copy elsewhere has ended and does not run yet"},
        Meaning{"stopping", "it is being stopped"},
        Meaning{"max_surge", "another copy of the task must go first"},
        Meaning{held_up_code, "another instance of the task is down and must run first"},
        Meaning{"no_orders", "the node takes no orders at present"},
        Meaning{"stray", "this store never ordered it, so it is left alone"},
        Meaning{"every_node", "it belongs to this node, and to no other"},
        Meaning{"planned", "looked at in the next round"},
    };
    const std::string_view found = meaning_of(meanings, code);
    return found.empty() ? sentence_of(code) : found;
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
