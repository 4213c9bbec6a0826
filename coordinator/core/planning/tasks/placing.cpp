#include "coordinator/core/planning/tasks/steps.hpp"

namespace muster::coordinator {

namespace {

/// True if its node is lost, and nothing is rescheduled in a freeze.
bool is_frozen(const TaskAtHand& at, Ordinal ordinal) {
    if (!at.scope.frozen || !at.was_lost(ordinal)) {
        return false;
    }
    at.due.wait_for_thaw(at.index);
    return true;
}

/// True if the instance of a lost node waits for reschedule_after.
bool is_awaited(const TaskAtHand& at, Ordinal ordinal, ByInstance<Instant>& on_lost_nodes) {
    const Duration patience = at.task.place.reschedule_after;
    if (patience == Duration{} || !at.was_lost(ordinal)) {
        return false;
    }
    const Instant since =
        on_lost_nodes.try_emplace({at.index, ordinal}, at.scope.now).first->second;
    if (at.scope.now >= since + patience) {
        return false;
    }
    at.due.wake_at(since + patience, at.index);
    return true;
}

/// Places one ordinal now or, if a leaving copy blocks it, reserves its place. False: there is no
/// node for it.
bool place(const TaskStep& step, Ordinal ordinal, Loads::Cursor& cursor) {
    const Slot& slot = step.at.slot(ordinal);
    // An exclusive instance waits for its own copy, even if another instance leaves room.
    const bool waits_for_own = step.at.task.spec.exclusive && slot.first < slot.last;
    if (step.orders.has_room() && !waits_for_own) {
        if (const auto target = step.search.find(ordinal, cursor)) {
            const bool is_lost = step.at.home(ordinal) != Homes::none;
            const Cause cause = is_lost ? Cause::lost : Cause::missing;
            step.orders.start(ordinal, *target,
                              step.failures.cause_of_start({step.at.index, ordinal}, cause));
            return true;
        }
    }
    if (step.search.has_no_lease()) {
        return false;  // No place is reserved on a node that may never be able to start it.
    }
    const auto home = step.search.find_home(ordinal);
    if (home) {
        step.orders.defer(ordinal, *home);
    }
    return home.has_value();
}

}  // namespace

void place_missing(const TaskStep& step, ByInstance<Instant>& on_lost_nodes) {
    const TaskAtHand& at = step.at;
    Loads::Cursor cursor;
    std::uint32_t unplaced = 0;
    std::uint32_t awaited = 0;
    std::uint32_t throttled = 0;
    std::uint32_t frozen = 0;
    std::uint32_t leased = 0;
    for (Ordinal ordinal = 0; ordinal < at.task.instances; ++ordinal) {
        if (at.kept(ordinal) != nullptr || at.slot(ordinal).is_over) {
            continue;
        }
        const bool may = at.has_all_rights();
        if (may && is_frozen(at, ordinal)) {
            ++frozen;
        } else if (may && is_awaited(at, ordinal, on_lost_nodes)) {
            ++awaited;
        } else if (may && at.is_leased(ordinal)) {
            ++leased;
        } else if (may && step.orders.has_room() && !step.orders.may_start()) {
            ++throttled;
        } else if (!may || !place(step, ordinal, cursor)) {
            ++unplaced;
        }
    }
    step.shortfall.add(Obstacle::starts_spent, throttled);
    if (unplaced > 0) {
        step.shortfall.add(step.search.why_not_found(), unplaced);
        step.shortfall.wait_for_place();
    }
    step.shortfall.add(Obstacle::lease, leased);
    step.shortfall.add(Obstacle::rescheduling, awaited);
    step.shortfall.add(Obstacle::frozen, frozen);
}

}  // namespace muster::coordinator
