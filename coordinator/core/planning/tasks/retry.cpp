#include <algorithm>
#include <optional>

#include "coordinator/core/planning/tasks/task_round.hpp"

// The part of TaskRound that copes with instances which fail, are refused, or are out of sight.
namespace muster::coordinator {

/// Notes what has become of those with which something went wrong.
void TaskRound::look_after_troubles() {
    Troubles& troubles = state_.troubles;
    const bool has_any = troubles.has(index_);
    if (has_any) {
        troubles.keep(index_, task_.generation, task_.ordinals());
    }
    for (Ordinal ordinal = 0; ordinal < task_.ordinals(); ++ordinal) {
        const Copy* const stay = state_.reading.slots[ordinal].stay;
        if (stay == nullptr || !stay->reported || stay->generation != task_.generation) {
            continue;
        }
        if (stay->state == InstanceState::failed) {
            troubles.failed({index_, ordinal}, task_.generation, stay->node);
        } else if (has_any) {
            troubles.reported(scope_.now, {index_, ordinal}, stay->state == InstanceState::running);
        }
    }
}

/// What failed on one node is tried on another one that has a place for it, twice.
void TaskRound::retry_failed() {
    if (rights_ != Rights::all || !state_.troubles.has(index_)) {
        return;
    }
    for (Ordinal ordinal = 0; ordinal < task_.instances; ++ordinal) {
        const Slot& slot = state_.reading.slots[ordinal];
        const bool has_failed = slot.stay != nullptr && slot.stay->reported &&
                                slot.stay->state == InstanceState::failed &&
                                !slot.stay->orders.starting;
        const Trouble* const trouble = has_failed ? trouble_of(ordinal) : nullptr;
        if (trouble == nullptr || trouble->is_given_up() ||
            !state_.placements.nodes().is_commandable(slot.stay->node)) {
            continue;
        }
        Loads::Cursor cursor;
        if (const auto target = find_target(slot, cursor)) {
            stop_first(ordinal, *target, Cause::retry);
        } else {
            wait_for_place();
        }
    }
}

const Trouble* TaskRound::trouble_of(Ordinal ordinal) const {
    return state_.troubles.find({index_, ordinal});
}

/// It has not come up since it failed elsewhere or was refused.
bool TaskRound::is_troubled(Ordinal ordinal) {
    const Trouble* const trouble = trouble_of(ordinal);
    if (trouble == nullptr) {
        return false;
    }
    if (const Copy* const stay = state_.reading.slots[ordinal].stay; stay != nullptr) {
        return !has_come_up(*stay, task_.generation);
    }
    // What was only refused may be tried again in time. If it has no place then, it lacks a place,
    // and nothing is known against it.
    wake_for(*trouble);
    const bool is_placed = state_.placements.nodes().is_counted(state_.homes.of(index_, ordinal));
    return is_placed || !trouble->failed_on.empty() || trouble->is_refused(scope_.now);
}

/// The instance of a lost node is waited for as long as its task says.
bool TaskRound::is_awaited(Ordinal ordinal) {
    const Duration patience = task_.place.reschedule_after;
    const NodeIndex home = state_.homes.of(index_, ordinal);
    if (patience == Duration{} || home == Homes::none ||
        state_.placements.nodes().is_counted(home)) {
        return false;
    }
    const Instant since =
        state_.out_of_sight.try_emplace({index_, ordinal}, scope_.now).first->second;
    if (scope_.now >= since + patience) {
        return false;
    }
    state_.wake_at(since + patience, index_);
    return true;
}

/// Its node is lost, and nothing is rescheduled now.
bool TaskRound::is_frozen(Ordinal ordinal) {
    const NodeIndex home = state_.homes.of(index_, ordinal);
    if (!scope_.frozen || home == Homes::none || state_.placements.nodes().is_counted(home)) {
        return false;
    }
    state_.mark(state_.frozen, &PlannerState::PerTask::frozen, index_);
    return true;
}

/// A copy that nobody can see may still run under its lease.
bool TaskRound::is_leased(Ordinal ordinal) {
    if (!task_.spec.exclusive || scope_.leases == nullptr) {
        return false;
    }
    const auto hold = scope_.leases->hold_of(scope_.now, {task_.name, ordinal});
    if (hold) {
        state_.wake_at(hold->until, index_);
    }
    return hold.has_value();
}

/// What is exclusive may be started there now; else its next answers may change that.
bool TaskRound::may_lease(NodeIndex node) {
    if (!task_.spec.exclusive || scope_.leases == nullptr ||
        scope_.leases->may_start(scope_.now, node)) {
        return true;
    }
    state_.wake_at(scope_.now + Duration{1}, index_);
    return false;
}

/// Nodes that refused it are asked again in time.
void TaskRound::wake_for(const Trouble& trouble) {
    for (const Trouble::Refusal& refusal : trouble.refusals) {
        if (refusal.again > scope_.now) {
            state_.wake_at(refusal.again, index_);
        }
    }
}

/// Where it is, the new generation was refused, or failed.
bool TaskRound::is_shunned_in_place(Ordinal ordinal) {
    const Trouble* const trouble = trouble_of(ordinal);
    const NodeIndex node = state_.reading.slots[ordinal].stay->node;
    if (trouble == nullptr || !trouble->shuns(node, scope_.now)) {
        return false;
    }
    wake_for(*trouble);
    return true;
}

}  // namespace muster::coordinator
