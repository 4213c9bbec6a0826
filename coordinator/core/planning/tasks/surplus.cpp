#include "coordinator/core/planning/tasks/steps.hpp"

namespace muster::coordinator {

namespace {

/// True if an outdated copy has ended for good: it only uses a place.
bool is_of_the_past(const TaskAtHand& at, const Copy& copy) {
    return is_outdated(copy, at.task.generation) && !may_run(copy);
}

/// True if a failed copy is not needed beside the one that stays. A lost stop may have left two.
bool has_failed_beside(const TaskAtHand& at, const Copy& copy, const Copy& kept) {
    return copy.reported && copy.state == InstanceState::failed && !copy.orders.starting &&
           !kept.orders.moving && copy.generation == at.task.generation;
}

/// True if the copy that stays replaces this one. A stay of a newer generation must be healthy
/// first.
bool is_served_by(const Copy& kept, const Copy& copy, const TaskAtHand& at) {
    return has_come_up(kept, at.task.generation) &&
           (copy.generation >= kept.generation || is_healthy(kept, at.task));
}

/// The cause of stopping a copy that another copy makes unnecessary.
Cause cause_to_stop(const TaskAtHand& at, const Copy& copy, const Copy& kept) {
    if (copy.generation < at.task.generation) {
        return Cause::rollout;
    }
    if (!kept.orders.moving) {
        return Cause::duplicate;
    }
    const auto why = at.why_leave(copy.node);
    return why ? why->cause : Cause::balance;
}

}  // namespace

void stop_unwanted(const TaskAtHand& at, TaskOrders& orders) {
    for (const Copy& copy : at.reading.copies) {
        orders.stop(copy, Cause::unwanted);
    }
}

void stop_surplus(const TaskAtHand& at, TaskOrders& orders) {
    for (const Copy& copy : at.reading.copies.subspan(at.reading.surplus)) {
        orders.stop(copy, Cause::surplus);
    }
}

void stop_duplicates(const TaskAtHand& at, TaskOrders& orders) {
    for (const Slot& slot : at.reading.slots) {
        for (const Copy& copy : at.copies_of(slot)) {
            if (copy.origin == Origin::unordered) {
                orders.stop(copy, Cause::duplicate);  // Nobody ordered this copy.
                continue;
            }
            if (slot.is_over && may_run(copy)) {
                orders.stop(copy, Cause::duplicate);  // Another copy of the instance ended well.
                continue;
            }
            if (slot.kept == nullptr) {
                continue;
            }
            // A task that became exclusive must not have two copies, even if none runs for a while.
            const auto why = at.why_leave(copy.node);
            const bool is_forced = why && why->force && halts_roll_out(*slot.kept, at.task);
            const bool is_needless = is_forced || is_served_by(*slot.kept, copy, at) ||
                                     is_of_the_past(at, copy) || at.task.spec.exclusive ||
                                     has_failed_beside(at, copy, *slot.kept);
            if (&copy != slot.kept && is_needless) {
                orders.stop(copy, cause_to_stop(at, copy, *slot.kept));
            }
        }
    }
}

void stop_unbound(const TaskAtHand& at, TaskOrders& orders) {
    const std::vector<NodeIndex>& bound = at.task.bound;
    for (const Copy& copy : at.reading.copies) {
        const bool is_bound = copy.ordinal < bound.size() && bound[copy.ordinal] == copy.node;
        if (!is_bound || copy.origin == Origin::unordered) {
            const auto why = at.why_leave(copy.node);
            orders.stop(copy, why ? why->cause : Cause::surplus);
        }
    }
}

}  // namespace muster::coordinator
