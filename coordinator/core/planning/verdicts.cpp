#include <algorithm>
#include <map>
#include <string>

#include "common/base/limits.hpp"
#include "common/spec/quantity.hpp"
#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"
#include "coordinator/core/planning/planner.hpp"

// The part of Planner that judges for each node whether it may take an instance, and how good it
// is. It runs the filters themselves, which is slower than Candidates and must agree with it.
namespace muster::coordinator {

namespace {

/// The free part of an amount, and the amount that the instance needs. `text` formats an amount.
std::string left_of(std::uint64_t needed, std::uint64_t allowed, std::uint64_t used,
                    std::string (*text)(std::uint64_t)) {
    return text(allowed - std::min(allowed, used)) + " of " + text(allowed) + " free, " +
           text(needed) + " needed";
}

std::string slots_text(std::uint64_t slots) {
    return std::to_string(slots) + (slots == 1 ? " slot" : " slots");
}

/// What the node lacks, by its verdict.
std::string room_detail(Verdict verdict, const Resources& request, const Allowance& allowance,
                        const Use& use) {
    if (verdict == Verdict::cpu) {
        return left_of(request.cpu_milli, allowance.cpu_milli, use.cpu_milli, cores_text);
    }
    if (verdict == Verdict::memory) {
        return left_of(request.memory_bytes, allowance.memory_bytes, use.memory_bytes, size_text);
    }
    return left_of(request.slots, allowance.slots, use.slots, slots_text);
}

/// The filters, one after another, for one ordinal of a task.
class Judge {
public:
    Judge(PlannerState& state, TaskIndex task, Ordinal ordinal)
        : state_{state}, task_{task}, ordinal_{ordinal} {
        for (const Copy& copy : state.placements.copies().of(task)) {
            add_here(copy.node, copy.ordinal);
        }
        for (Ordinal other = 0; other < state.workload[task].instances; ++other) {
            const NodeIndex home = state.places.home(task, other);
            if (home != Homes::none && !has_copy(state.placements, task, other, home) &&
                !state.places.is_to_move(task, other)) {
                add_here(home, other);
            }
        }
    }

    /// `detail`: what decided, if the verdict alone does not show it.
    [[nodiscard]] Verdict judge(NodeIndex node, std::string& detail) const {
        const NodeTable& nodes = state_.placements.nodes();
        const Task& task = state_.workload[task_];
        const Resources& request = task.place.request;
        if (!nodes.is_serving(node)) {
            return Verdict::not_serving;
        }
        const Offer& offer = nodes.offer(node);
        const Verdict suits = judge_offer(task.place, nodes.name(node), offer);
        if (suits != Verdict::fits) {
            detail = suits == Verdict::pool
                         ? offer.pool
                         : to_string(*unmet(task.place, nodes.name(node), offer));
            return suits;
        }
        if (has_copy(state_.placements, task_, ordinal_, node)) {
            return Verdict::has_copy;
        }
        const FailureRecord* const failed = state_.failures.find({task_, ordinal_});
        if (failed != nullptr && failed->has_failed_on(node)) {
            return Verdict::failed;
        }
        if (failed != nullptr && failed->has_vanished_on(node)) {
            detail = failed->last_refusal;
            return Verdict::failed;
        }
        if (const auto* refusal = failed != nullptr ? failed->refusal_of(node) : nullptr) {
            const std::string head = "by " + nodes.name(node) + ": ";
            detail = refusal->why.substr(refusal->why.starts_with(head) ? head.size() : 0);
            return Verdict::refused;
        }
        const Verdict room = state_.places.ledger().judge(node, request);
        if (room != Verdict::fits) {
            detail =
                room_detail(room, request, allowance_of(offer), state_.places.ledger().used(node));
            return room;
        }
        if (state_.places.loads().of(node) >= limits::instances_per_node) {
            return Verdict::full;
        }
        if (here_.of(node) < task.spec.max_per_node) {
            return Verdict::fits;
        }
        detail = to_string(InstanceId{task.name, first_here_.at(node)}) +
                 (here_.of(node) > 1 ? " and " + std::to_string(here_.of(node) - 1) + " more" : "");
        return Verdict::max_per_node;
    }

private:
    void add_here(NodeIndex node, Ordinal ordinal) {
        here_.add(node);
        first_here_.emplace(node, ordinal);
    }

    PlannerState& state_;
    TaskIndex task_;
    Ordinal ordinal_;
    Tally<NodeIndex> here_;  // The task's copies, and homes without one.
    std::map<NodeIndex, Ordinal> first_here_;
};

}  // namespace

std::vector<NodeVerdict> Planner::verdicts(TaskIndex task, Ordinal ordinal) const {
    state_->apply_node_changes();  // Some nodes may be new since the last pass.
    const Judge judge{*state_, task, ordinal};
    const Choice choice{*state_, task};
    std::vector<NodeVerdict> nodes;
    const std::span<const NodeIndex> known = state_->placements.nodes().by_name();
    nodes.reserve(known.size());
    for (const NodeIndex node : known) {
        NodeVerdict& verdict = nodes.emplace_back();
        verdict.node = node;
        verdict.verdict = judge.judge(node, verdict.detail);
        verdict.score = choice.score_of(node);
    }
    return nodes;
}

const std::set<TaskIndex>& Planner::halted() const { return state_->statuses.halted(); }

std::optional<TaskIndex> Planner::first_halted() const { return state_->statuses.first_halted(); }

std::optional<TaskIndex> Planner::first_short(Obstacle code) const {
    return state_->statuses.first_short(code);
}

std::vector<std::string> Planner::first_unconverged(std::size_t most) const {
    return state_->statuses.first_unconverged(most);
}

}  // namespace muster::coordinator
