#include <algorithm>
#include <string>

#include "common/base/limits.hpp"
#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"
#include "coordinator/core/planning/planner.hpp"

// The half of Planner that says of each node whether it may take an instance, and how good it is.
// It asks the filters themselves, which is slower than the candidates' way and must agree with it.
namespace muster::coordinator {

namespace {

std::string left_of(std::uint64_t asked, std::uint64_t allowed, std::uint64_t used) {
    return std::to_string(allowed - std::min(allowed, used)) + " of " + std::to_string(allowed) +
           " left, " + std::to_string(asked) + " asked for";
}

/// What of the node is short, by its verdict.
std::string room_detail(Verdict verdict, const Resources& request, const Allowance& allowance,
                        const Use& use) {
    if (verdict == Verdict::cpu) {
        return left_of(request.cpu_milli, allowance.cpu_milli, use.cpu_milli);
    }
    if (verdict == Verdict::memory) {
        return left_of(request.memory_bytes, allowance.memory_bytes, use.memory_bytes);
    }
    return left_of(request.slots, allowance.slots, use.slots);
}

/// The filters, one after another, for one ordinal of a task.
class Judge {
public:
    Judge(PlannerState& state, TaskIndex task, Ordinal ordinal)
        : state_{state}, task_{task}, ordinal_{ordinal} {
        for (const Copy& copy : state.placements.copies().of(task)) {
            here_.add(copy.node);
        }
        for (Ordinal other = 0; other < state.workload[task].instances; ++other) {
            const NodeIndex home = state.places.home(task, other);
            if (home != Homes::none && !has_copy(state.placements, task, other, home) &&
                !state.places.is_to_move(task, other)) {
                here_.add(home);
            }
        }
    }

    void judge(NodeVerdict& node) const {
        const Task& task = state_.workload[task_];
        const Offer& offer = state_.placements.nodes().offer(node.node);
        const Resources& request = task.place.request;
        node.verdict = Verdict::not_serving;
        if (!state_.placements.nodes().is_serving(node.node)) {
            return;
        }
        node.verdict = judge_offer(task.place, state_.placements.nodes().name(node.node), offer);
        if (node.verdict == Verdict::pool) {
            node.detail = offer.pool;
        } else if (node.verdict == Verdict::label) {
            node.detail =
                to_string(*unmet(task.place, state_.placements.nodes().name(node.node), offer));
        }
        if (node.verdict != Verdict::fits) {
            return;
        }
        if (has_copy(state_.placements, task_, ordinal_, node.node)) {
            node.verdict = Verdict::has_copy;
            return;
        }
        const FailureRecord* const failed = state_.failures.find({task_, ordinal_});
        if (failed != nullptr && failed->has_failed_on(node.node)) {
            node.verdict = Verdict::failed;
            return;
        }
        if (failed != nullptr && failed->has_vanished_on(node.node)) {
            node.verdict = Verdict::failed;
            node.detail = failed->last_refusal;
            return;
        }
        node.verdict = state_.places.ledger().judge(node.node, request);
        if (node.verdict != Verdict::fits) {
            node.detail = room_detail(node.verdict, request, allowance_of(offer),
                                      state_.places.ledger().used(node.node));
        } else if (state_.places.loads().of(node.node) >= limits::instances_per_node) {
            node.verdict = Verdict::full;
        } else if (here_.of(node.node) >= task.spec.max_per_node) {
            node.verdict = Verdict::max_per_node;
        }
    }

private:
    PlannerState& state_;
    TaskIndex task_;
    Ordinal ordinal_;
    Tally<NodeIndex> here_;  // The task's copies, and homes without one.
};

}  // namespace

std::vector<NodeVerdict> Planner::verdicts(TaskIndex task, Ordinal ordinal) const {
    state_->absorb_nodes();  // Some may have come since the last plan.
    const Judge judge{*state_, task, ordinal};
    const Choice choice{*state_, task};
    std::vector<NodeVerdict> nodes;
    const std::span<const NodeIndex> known = state_->placements.nodes().by_name();
    nodes.reserve(known.size());
    for (const NodeIndex node : known) {
        NodeVerdict& verdict = nodes.emplace_back();
        verdict.node = node;
        judge.judge(verdict);
        verdict.score = choice.score_of(node);
    }
    return nodes;
}

std::optional<TaskIndex> Planner::first_short(Obstacle code) const {
    return state_->statuses.first_short(code);
}

}  // namespace muster::coordinator
