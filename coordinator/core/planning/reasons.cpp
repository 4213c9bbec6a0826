#include "coordinator/core/planning/reasons.hpp"

#include <algorithm>

#include "coordinator/core/nodes/notes.hpp"
#include "coordinator/core/planning/notes.hpp"

namespace muster::coordinator {

std::string why_left(const NodeVerdict& home, const Node& node) {
    std::string why;
    std::string detail;
    if (home.verdict == Verdict::not_serving) {
        why = why_not_serving(node);
        detail = note_of(node);
    } else if (home.verdict == Verdict::label || home.verdict == Verdict::pool) {
        why = to_string(home.verdict);
        detail = home.detail;
    }
    // What an operator wants is no consequence of how the node is.
    const bool is_wanted = why == to_string(node.intent);
    return detail.empty() ? why : why + (is_wanted ? "; " : ": ") + detail;
}

std::vector<VerdictView> Reasons::views_of(const std::vector<NodeVerdict>& all,
                                           std::optional<NodeIndex> home) const {
    std::vector<VerdictView> views;
    views.reserve(all.size());
    for (const NodeVerdict& one : all) {
        const Node& node = nodes_[one.node];
        VerdictView& view =
            views.emplace_back(VerdictView{.node = node.name,
                                           .code = std::string{to_string(one.verdict)},
                                           .detail = one.detail,
                                           .affinity = one.score.affinity,
                                           .spread = one.score.spread,
                                           .load = one.score.load});
        if (one.node == home) {
            view.code = "home";
            view.detail = why_left(one, node);
        } else if (one.verdict == Verdict::not_serving) {
            view.code = why_not_serving(node);
            view.detail = note_of(node);
        }
    }
    return views;
}

std::vector<VerdictView> Reasons::views_of_one_more(TaskIndex task) const {
    // An ordinal above all that are wanted: no copy of it is anywhere.
    return views_of(planner_.verdicts(task, workload_[task].instances), std::nullopt);
}

std::vector<VerdictView> Reasons::views_if_asked(TaskIndex task,
                                                 std::span<const Shortage> shortages) const {
    return std::ranges::any_of(shortages, is_of_nodes, &Shortage::code)
               ? views_of_one_more(task)
               : std::vector<VerdictView>{};
}

UnplacedReason Reasons::reason_of(const Shortage& shortage, std::optional<TaskIndex> task,
                                  std::span<const VerdictView> views) const {
    UnplacedReason reason;
    reason.code = to_string(shortage.code);
    reason.count = shortage.count;
    reason.detail = describe(shortage.code);
    if (task && is_of_nodes(shortage.code)) {
        reason.task = workload_.name(*task);
        reason.nodes = count_verdicts(views);
    }
    return reason;
}

std::string why_short(Obstacle code, std::span<const VerdictView> views) {
    return is_of_nodes(code) ? counted_verdicts(views) : std::string{describe(code)};
}

std::string Reasons::why_unplaced(TaskIndex task) const {
    const TaskStatus status = planner_.status(task);
    const auto views = views_if_asked(task, status.shortages);
    return told_shortages(status.shortages, [&](Obstacle code) { return why_short(code, views); });
}

}  // namespace muster::coordinator
