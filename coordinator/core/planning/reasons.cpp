#include "coordinator/core/planning/reasons.hpp"

#include <algorithm>

#include "common/base/limits.hpp"
#include "common/spec/duration.hpp"
#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

namespace {

std::string_view code_of(const NodeVerdict& one, const Node& node) {
    return one.verdict == Verdict::not_serving ? why_not_serving(node) : to_string(one.verdict);
}

/// Why a node does not serve, by its code; `note` has more detail for some.
std::string describe_not_serving(const std::string& code, const std::string& note) {
    const std::string more = note.empty() || note == code ? "" : ": " + note;
    if (code == "flaky") {
        return "is suspended";
    }
    if (code == "silent") {
        return "does not answer" + more;
    }
    if (code == "no_orders") {
        return "takes no orders now" + more;
    }
    if (code == "lacks_proofs") {
        return "gets no new instances" + more;
    }
    if (code == "unreported") {
        return "has not reported yet";
    }
    return "is " + (note.starts_with(code + ':') ? note : code + more);
}

/// The text of the verdict, to follow the name of the node.
std::string describe_verdict(const VerdictView& view, Verdict verdict, const Task& task) {
    if (view.code == "home") {
        return view.detail.empty()
                   ? "has the instance"
                   : "has the instance, and would not be chosen today: " + view.detail;
    }
    switch (verdict) {
        case Verdict::fits: return "can take it";
        case Verdict::not_serving: return describe_not_serving(view.code, view.detail);
        case Verdict::pool:
            return "is in pool " + view.detail + ", and the task wants pool " + task.place.pool;
        case Verdict::label: return "does not meet the constraint " + view.detail;
        case Verdict::cpu:
        case Verdict::memory:
        case Verdict::slots: return "has too little free: " + view.detail;
        case Verdict::full:
            return "already runs " + std::to_string(limits::instances_per_node) +
                   " instances, the most that a node may run";
        case Verdict::max_per_node:
            return "already runs " + view.detail + ", and max_per_node is " +
                   std::to_string(task.spec.max_per_node);
        case Verdict::has_copy: return "already has a copy of it";
        case Verdict::failed:
            return "is not tried again, because it failed there" +
                   (view.detail.empty() ? "" : ": " + view.detail);
        case Verdict::refused: return "refuses it: " + view.detail;
    }
    return "";
}

}  // namespace

std::string why_left(const NodeVerdict& home, const Node& node) {
    std::string why;
    std::string detail;
    if (home.verdict == Verdict::not_serving) {
        why = why_not_serving(node);
        detail = describe_node(node);
    } else if (home.verdict == Verdict::label || home.verdict == Verdict::pool) {
        why = to_string(home.verdict);
        detail = home.detail;
    }
    // An operator's intent is not a consequence of the state of the node.
    const bool is_wanted = why == to_string(node.intent);
    return detail.empty() ? why : why + (is_wanted ? "; " : ": ") + detail;
}

std::vector<VerdictView> Reasons::views_of(TaskIndex task, const std::vector<NodeVerdict>& all,
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
            view.detail = describe_node(node);
        }
        view.sentence = describe_verdict(view, one.verdict, workload_[task]);
    }
    return views;
}

CountedVerdicts Reasons::of_one_more(TaskIndex task) const {
    // An ordinal above all wanted ones has no copy anywhere.
    const auto all = planner_.verdicts(task, workload_[task].instances);
    std::vector<CodedVerdict> counted;
    counted.reserve(all.size());
    for (const NodeVerdict& one : all) {
        counted.emplace_back(code_of(one, nodes_[one.node]), one.detail);
    }
    return count_verdicts(counted);
}

UnplacedReason Reasons::reason_of(const Shortage& shortage, std::optional<TaskIndex> task,
                                  const CountedVerdicts& counted) const {
    UnplacedReason reason;
    reason.code = to_string(shortage.code);
    reason.count = shortage.count;
    reason.detail = describe(shortage.code);
    if (task && is_of_nodes(shortage.code)) {
        reason.task = workload_.name(*task);
        reason.nodes = counted.reasons;
    }
    return reason;
}

std::string describe_end(const InstanceView& instance) {
    if (!instance.detail.empty()) {
        return instance.detail;
    }
    return instance.exit_signal != 0 ? "ended by signal " + std::to_string(instance.exit_signal)
                                     : "ended with exit code " + std::to_string(instance.exit_code);
}

std::string describe_halt(const Workload& workload, const Planner& planner, TaskIndex task) {
    const auto ordinal = planner.status(task).halted_by;
    return ordinal ? describe_halt(workload, planner, task, *ordinal) : std::string{};
}

std::string describe_halt(const Workload& workload, const Planner& planner, TaskIndex task,
                          Ordinal ordinal) {
    const InstanceView instance = planner.instance(task, ordinal);
    const std::string name = to_string(instance.id);
    const std::string least = muster::to_string(workload[task].spec.update.min_healthy);
    const bool is_gone = instance.node.empty() || instance.state == "unknown" ||
                         instance.generation < workload[task].generation;
    if (is_gone) {
        return "the roll-out is halted: the new copy of " + name + " did not run for " + least +
               ", and is gone from its node; the roll-out tries " + name +
               " again once a node has a place for it, and nothing else before";
    }
    return "the roll-out is halted: " + name + " on " + instance.node + " did not run for " +
           least + " (" + describe_end(instance) +
           "); apply a version that does, or the one before; 'muster logs " + name +
           "' shows what it printed";
}

std::string why_short(Obstacle code, const CountedVerdicts& counted) {
    return is_of_nodes(code) ? describe(counted) : std::string{describe(code)};
}

std::string Reasons::why_unplaced(TaskIndex task) const {
    const TaskStatus status = planner_.status(task);
    const bool is_asked = std::ranges::any_of(status.shortages, is_of_nodes, &Shortage::code);
    const CountedVerdicts counted = is_asked ? of_one_more(task) : CountedVerdicts{};
    return describe_shortages(status.shortages,
                              [&](Obstacle code) { return why_short(code, counted); });
}

}  // namespace muster::coordinator
