#include "coordinator/core/planning/reasons.hpp"

#include <algorithm>

#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

namespace {

std::string_view code_of(const NodeVerdict& one, const Node& node) {
    return one.verdict == Verdict::not_serving ? why_not_serving(node) : to_string(one.verdict);
}

}  // namespace

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
        VerdictView& view = views.emplace_back(VerdictView{.node = node.name,
                                                           .code = std::string{code_of(one, node)},
                                                           .detail = one.detail,
                                                           .affinity = one.score.affinity,
                                                           .spread = one.score.spread,
                                                           .load = one.score.load});
        if (one.node == home) {
            view.code = "home";
            view.detail = why_left(one, node);
        } else if (one.verdict == Verdict::not_serving) {
            view.detail = note_of(node);
        }
    }
    return views;
}

CountedVerdicts Reasons::of_one_more(TaskIndex task) const {
    // An ordinal above all that are wanted: no copy of it is anywhere.
    const auto all = planner_.verdicts(task, workload_[task].instances);
    std::vector<SaidVerdict> said;
    said.reserve(all.size());
    for (const NodeVerdict& one : all) {
        said.emplace_back(code_of(one, nodes_[one.node]), one.detail);
    }
    return count_verdicts(said);
}

UnplacedReason Reasons::reason_of(const Shortage& shortage, std::optional<TaskIndex> task,
                                  const CountedVerdicts& said) const {
    UnplacedReason reason;
    reason.code = to_string(shortage.code);
    reason.count = shortage.count;
    reason.detail = describe(shortage.code);
    if (task && is_of_nodes(shortage.code)) {
        reason.task = workload_.name(*task);
        reason.nodes = said.reasons;
    }
    return reason;
}

std::string why_short(Obstacle code, const CountedVerdicts& said) {
    return is_of_nodes(code) ? told(said) : std::string{describe(code)};
}

std::string Reasons::why_unplaced(TaskIndex task) const {
    const TaskStatus status = planner_.status(task);
    const bool is_asked = std::ranges::any_of(status.shortages, is_of_nodes, &Shortage::code);
    const CountedVerdicts said = is_asked ? of_one_more(task) : CountedVerdicts{};
    return told_shortages(status.shortages, [&](Obstacle code) { return why_short(code, said); });
}

}  // namespace muster::coordinator
