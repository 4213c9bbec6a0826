#include "coordinator/core/planning/tasks/steps.hpp"

namespace muster::coordinator {

namespace {

/// It serves nobody and never will again: it only holds its place.
bool is_of_the_past(const TaskAtHand& at, const Copy& copy) {
    return is_outdated(copy, at.task.generation) && !may_run(copy);
}

/// One place is enough to try it again; a stop that was lost on the way left two.
bool has_failed_beside(const TaskAtHand& at, const Copy& copy, const Copy& stay) {
    return copy.reported && copy.state == InstanceState::failed && !copy.orders.starting &&
           !stay.orders.moving && copy.generation == at.task.generation;
}

/// The copy that stays does its work. One of a newer generation has to show first that it lasts.
bool is_served_by(const Copy& stay, const Copy& copy, const TaskAtHand& at) {
    return has_come_up(stay, at.task.generation) &&
           (copy.generation >= stay.generation || is_healthy(stay, at.task));
}

/// Of a copy that another one of its ordinal makes needless.
Cause cause_to_stop(const TaskAtHand& at, const Copy& copy, const Copy& stay) {
    if (copy.generation < at.task.generation) {
        return Cause::rollout;
    }
    if (!stay.orders.moving) {
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
            if (copy.origin == Origin::claimed) {
                orders.stop(copy, Cause::duplicate);  // A node gets an instance by order alone.
                continue;
            }
            if (slot.is_over && may_run(copy)) {
                orders.stop(copy, Cause::duplicate);  // Another copy of it ended well.
                continue;
            }
            if (slot.stay == nullptr) {
                continue;
            }
            // A task that became exclusive must not have two, even if for a while none runs.
            const bool is_needless = is_served_by(*slot.stay, copy, at) ||
                                     is_of_the_past(at, copy) || at.task.spec.exclusive ||
                                     has_failed_beside(at, copy, *slot.stay);
            if (&copy != slot.stay && is_needless) {
                orders.stop(copy, cause_to_stop(at, copy, *slot.stay));
            }
        }
    }
}

void stop_unbound(const TaskAtHand& at, TaskOrders& orders) {
    const std::vector<NodeIndex>& bound = at.task.bound;
    for (const Copy& copy : at.reading.copies) {
        const bool is_bound = copy.ordinal < bound.size() && bound[copy.ordinal] == copy.node;
        if (!is_bound || copy.origin == Origin::claimed) {
            const auto why = at.why_leave(copy.node);
            orders.stop(copy, why ? why->cause : Cause::surplus);
        }
    }
}

}  // namespace muster::coordinator
