#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/messages/operator.hpp"
#include "coordinator/core/nodes/nodes.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/workload/leases.hpp"

namespace muster::coordinator {

/// `by ann@desk: new switches`: who decided something, and why.
[[nodiscard]] std::string told_cause(std::string_view author, std::string_view reason);
/// What a person must know of a node beside its health, in words.
[[nodiscard]] std::string note_of(const Node& node);
/// What became of the readiness check that failed, as far as its agent says.
[[nodiscard]] std::string told_check(const HostFacts& host);
/// Why the host asks for no work.
[[nodiscard]] std::string told_unable(const Said& said);
/// `it is exclusive and may still run on n3; until its lease is over for sure, another 23 s, ...`.
[[nodiscard]] std::string told_hold(const Leases::Hold& hold, Duration left);
/// The stable code of what keeps a node from getting starts: its health or intent says most.
[[nodiscard]] std::string_view why_not_serving(const Node& node);
/// Why instances are missing; empty for a code of anything else.
[[nodiscard]] std::string_view sentence_of(std::string_view shortage_code);
/// What keeps an instance on a node that is to be left.
[[nodiscard]] std::string_view sentence_of_blocker(std::string_view code);
/// What each node said, counted, as data; of those ruled out by a label or a pool also which.
[[nodiscard]] std::vector<NodeReason> count_verdicts(std::span<const VerdictView> said);
/// `no eligible node: 3 full, 2 lost, 1 label`, the most frequent first.
[[nodiscard]] std::string counted_verdicts(std::span<const VerdictView> said);
/// `2: no node serves; 1: ...`: each with its count, and its code in words.
[[nodiscard]] std::string told_shortages(std::span<const Shortage> shortages,
                                         const auto& in_words) {
    std::string told;
    for (const Shortage& shortage : shortages) {
        told += told.empty() ? "" : "; ";
        told += std::to_string(shortage.count) + ": ";
        told += in_words(shortage.code);
    }
    return told;
}

}  // namespace muster::coordinator
