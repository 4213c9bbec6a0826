#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/core/queries/notes.hpp"
#include "coordinator/core/state/state.hpp"

/// Why instances are unplaced, node by node.
namespace muster::coordinator {

namespace {

/// The nodes are why, not what the task waits for or what its roll-out may not.
bool is_of_nodes(std::string_view code) {
    return code == "no_nodes" || code == to_string(Verdict::not_serving) ||
           code == to_string(Verdict::pool) || code == to_string(Verdict::label) ||
           code == to_string(Verdict::cpu) || code == to_string(Verdict::memory) ||
           code == to_string(Verdict::slots) || code == to_string(Verdict::full) ||
           code == to_string(Verdict::max_per_node);
}

}  // namespace

std::vector<VerdictView> State::views_of_one_more(TaskIndex task) const {
    // An ordinal above all that are wanted: no copy of it is anywhere.
    return views_of(planner.verdicts(task, workload[task].instances), std::nullopt);
}

std::vector<VerdictView> State::views_if_asked(TaskIndex task,
                                               std::span<const Shortage> shortages) const {
    return std::ranges::any_of(shortages, is_of_nodes, &Shortage::code)
               ? views_of_one_more(task)
               : std::vector<VerdictView>{};
}

UnplacedReason State::reason_of(const Shortage& shortage, std::optional<TaskIndex> task,
                                std::span<const VerdictView> views) const {
    UnplacedReason reason;
    reason.code = shortage.code;
    reason.count = shortage.count;
    reason.detail = sentence_of(shortage.code);
    if (task && is_of_nodes(shortage.code)) {
        reason.task = workload.name(*task);
        reason.nodes = count_verdicts(views);
    }
    return reason;
}

std::string State::why_short(std::string_view code, std::span<const VerdictView> views) {
    return is_of_nodes(code) ? counted_verdicts(views) : std::string{sentence_of(code)};
}

std::string State::why_unplaced(TaskIndex task) const {
    const TaskStatus status = planner.status(task);
    const auto views = views_if_asked(task, status.shortages);
    return told_shortages(status.shortages,
                          [&](std::string_view code) { return why_short(code, views); });
}

}  // namespace muster::coordinator
