#include "coordinator/core/planning/tasks/task_at_hand.hpp"

namespace muster::coordinator {

namespace {

TaskAtHand::Rights rights_of(const Task& task, const Scope& scope) {
    if (scope.held_back && task.generation <= *scope.held_back) {
        return TaskAtHand::Rights::none;
    }
    return scope.held_back && task.created <= *scope.held_back
               ? TaskAtHand::Rights::replace_in_place
               : TaskAtHand::Rights::all;
}

}  // namespace

TaskAtHand::TaskAtHand(TaskIndex of, const Scope& pass_scope, PlannerState& state)
    : index{of},
      task{state.workload[of]},
      scope{pass_scope},
      placements{state.placements},
      reading{state.scratch.reading},
      rights{rights_of(task, scope)},
      due{state.due},
      state_{state},
      homes_{state.places.homes().of(of)} {}

Obstacle TaskAtHand::why_no_room(NodeIndex node) const {
    const Verdict room =
        state_.requirements.candidates().judge_room(state_.requirements.of(index), node);
    return room == Verdict::fits && !has_place(node) ? Obstacle::full : obstacle_of(room);
}

std::optional<Evacuation> TaskAtHand::why_leave(NodeIndex node) const {
    if (const auto evacuation = placements.nodes().evacuation(node)) {
        return evacuation;
    }
    return state_.requirements.admits(index, node) ? std::optional<Evacuation>{}
                                                   : Evacuation{.cause = Cause::unfit};
}

bool TaskAtHand::is_leased(Ordinal ordinal) const {
    if (!task.spec.exclusive || scope.leases == nullptr) {
        return false;
    }
    const auto hold = scope.leases->hold_of(scope.now, {task.name, ordinal});
    if (hold) {
        due.wake_at(hold->until, index);
    }
    return hold.has_value();
}

bool TaskAtHand::may_lease(NodeIndex node) const {
    if (!task.spec.exclusive || scope.leases == nullptr ||
        scope.leases->may_start(scope.now, node)) {
        return true;
    }
    due.wake_at(scope.now + Duration{1}, index);
    return false;
}

void TaskAtHand::wake_for(const FailureRecord& failed) const {
    for (const FailureRecord::Refusal& refusal : failed.refusals) {
        if (refusal.again > scope.now) {
            due.wake_at(refusal.again, index);
        }
    }
}

}  // namespace muster::coordinator
