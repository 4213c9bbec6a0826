#include <algorithm>

#include "coordinator/core/planning/tasks/steps.hpp"

namespace muster::coordinator {

namespace {

/// The move would replace the copy by one of a generation that is not yet known to be healthy.
bool is_held(const TaskStep& step, Ordinal ordinal, const Copy& kept) {
    const bool waits_for_other = step.hold.only.value_or(ordinal) != ordinal;
    return (step.hold.on_trial || waits_for_other) && is_outdated(kept, step.at.task.generation);
}

/// An older copy of the instance runs, so a new copy that halts the roll-out may stop.
bool has_older_copy(const TaskAtHand& at, Ordinal ordinal) {
    return std::ranges::any_of(at.copies_of(at.slot(ordinal)), [&](const Copy& copy) {
        return copy.generation < at.task.generation && copy.reported &&
               copy.state == InstanceState::running && !is_leaving(copy);
    });
}

/// Begins to move one ordinal, or returns what blocks it.
Obstacle move_off(const TaskStep& step, Ordinal ordinal, const Evacuation& why,
                  Loads::Cursor& cursor) {
    const TaskAtHand& at = step.at;
    const Copy& kept = *at.kept(ordinal);
    if (!at.has_all_rights()) {
        return Obstacle::recovering;
    }
    if (kept.orders.starting || !kept.reported) {
        return Obstacle::starting;  // An answer must first show whether it starts.
    }
    if (!at.placements.nodes().is_commandable(kept.node)) {
        return Obstacle::no_orders;
    }
    const bool held = is_held(step, ordinal, kept);
    if (held && !why.force) {
        return Obstacle::min_healthy;
    }
    if (!step.orders.may_start()) {
        return Obstacle::starts_spent;
    }
    const bool halts = halts_roll_out(kept, at.task);
    const bool starts_first = at.task.spec.update.max_surge > 0;
    if (starts_first && !step.orders.has_room()) {
        if (!held && !(halts && has_older_copy(at, ordinal))) {
            return Obstacle::max_surge;
        }
        step.orders.stop(kept, why.cause);  // A halted roll-out may use up the surge for ever.
        return Obstacle::none;
    }
    if (!starts_first && !halts &&
        step.orders.taken_down() >= at.task.spec.update.max_unavailable) {
        return Obstacle::max_unavailable;
    }
    const auto target = step.search.find(ordinal, cursor);
    if (!target && !why.force) {
        step.shortfall.wait_for_place();
        return step.search.is_held_off() ? Obstacle::refused : step.search.why_none();
    }
    if (!target) {
        step.orders.stop(kept, why.cause);
    } else if (starts_first) {
        step.orders.start(ordinal, *target, why.cause);
    } else {
        step.orders.stop_first(ordinal, *target, why.cause);
    }
    return Obstacle::none;
}

}  // namespace

void evacuate(const TaskStep& step, ByInstance<Obstacle>& blocked) {
    const TaskAtHand& at = step.at;
    if (at.placements.nodes().evacuating() == 0 && at.suits_all_nodes()) {
        return;
    }
    Loads::Cursor cursor;
    for (Ordinal ordinal = 0; ordinal < at.task.instances; ++ordinal) {
        const Copy* const kept = at.kept(ordinal);
        if (kept == nullptr || !may_run(*kept) || at.slot(ordinal).is_over) {
            continue;
        }
        if (const auto why = at.why_leave(kept->node)) {
            const Obstacle blocker = move_off(step, ordinal, *why, cursor);
            if (blocker != Obstacle::none) {
                blocked[{at.index, ordinal}] = blocker;
            }
        }
    }
}

void retry_failed(const TaskStep& step) {
    const TaskAtHand& at = step.at;
    if (!at.has_all_rights() || !step.failures.has_any(at.index)) {
        return;
    }
    for (Ordinal ordinal = 0; ordinal < at.task.instances; ++ordinal) {
        if (at.slot(ordinal).is_over ||
            !step.failures.is_to_retry({at.index, ordinal}, at.kept(ordinal)) ||
            !at.placements.nodes().is_commandable(at.kept(ordinal)->node)) {
            continue;
        }
        Loads::Cursor cursor;
        if (const auto target = step.search.find(ordinal, cursor)) {
            step.orders.stop_first(ordinal, *target, Cause::retry);
        } else {
            step.shortfall.wait_for_place();
        }
    }
}

}  // namespace muster::coordinator
