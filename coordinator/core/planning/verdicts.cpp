#include <algorithm>
#include <string>

#include "common/base/limits.hpp"
#include "coordinator/core/planning/pass/choice.hpp"
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
            const NodeIndex home = state.homes.of(task, other);
            if (home != Homes::none && !state.has_copy(task, other, home) &&
                !state.is_to_move(task, other)) {
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
        if (state_.has_copy(task_, ordinal_, node.node)) {
            node.verdict = Verdict::has_copy;
            return;
        }
        const Trouble* const trouble = state_.troubles.find({task_, ordinal_});
        if (trouble != nullptr && trouble->has_failed_on(node.node)) {
            node.verdict = Verdict::failed;
            return;
        }
        if (trouble != nullptr && trouble->has_vanished_on(node.node)) {
            node.verdict = Verdict::failed;
            node.detail = trouble->last_refusal;
            return;
        }
        node.verdict = state_.reserved.judge(node.node, request);
        if (node.verdict != Verdict::fits) {
            node.detail = room_detail(node.verdict, request, allowance_of(offer),
                                      state_.reserved.used(node.node));
        } else if (state_.homes.loads().of(node.node) >= limits::instances_per_node) {
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

std::optional<TaskIndex> Planner::first_short(std::string_view code) const {
    std::optional<TaskIndex> first;
    for (const TaskIndex task : state_->short_tasks) {
        const Shortages& all = state_->of(task).status.shortages;
        const bool is_it = std::ranges::find(all, code, &Shortage::code) != all.end();
        if (is_it && (!first || state_->workload.name(task) < state_->workload.name(*first))) {
            first = task;
        }
    }
    return first;
}

}  // namespace muster::coordinator
