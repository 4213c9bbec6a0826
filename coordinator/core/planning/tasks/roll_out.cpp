#include <algorithm>
#include <optional>

#include "coordinator/core/planning/tasks/task_round.hpp"

// The half of TaskRound that replaces copies of an older generation.
namespace muster::coordinator {

/// The roll-out has taken this ordinal up, and its new copy does not run yet.
bool TaskRound::is_rolling(const Slot& slot) const {
    const Copy& stay = *slot.stay;
    if (has_come_up(stay, task_.generation)) {
        return false;
    }
    const auto copies = state_.reading.copies.subspan(slot.first, slot.last - slot.first);
    return stay.orders.taken_down ||
           (stay.generation >= task_.generation &&
            std::ranges::any_of(copies, [&](const Copy& copy) {
                return copy.generation < task_.generation && !is_leaving(copy);
            }));
}

bool TaskRound::is_replaceable(const Slot& slot) const {
    if (slot.stay == nullptr) {
        return false;
    }
    const Copy& stay = *slot.stay;
    return is_outdated(stay, task_.generation) && stay.reported && !stay.orders.starting &&
           state_.placements.nodes().is_commandable(stay.node) &&
           !(why_leave(stay.node) && may_run(stay));  // The move off that node replaces it, too.
}

/// It may be replaced in its place at once: nothing is lost.
bool TaskRound::is_down(const Copy& stay) const {
    return stay.state != InstanceState::running && state_.placements.nodes().is_serving(stay.node);
}

void TaskRound::roll_out() {
    if (rights_ == Rights::none) {
        return;
    }
    state_.staying.clear();
    for (const Slot& slot : state_.reading.slots) {
        if (slot.stay != nullptr) {
            state_.staying.add(slot.stay->node);
        }
    }
    std::optional<Ordinal> next;
    std::optional<Ordinal> next_elsewhere;  // Its node gets no work.
    std::uint32_t outdated = 0;
    bool is_under_way = false;
    for (Ordinal ordinal = 0; ordinal < task_.ordinals(); ++ordinal) {
        const Slot& slot = state_.reading.slots[ordinal];
        // One that fails wherever it is tried is taken for a fault of the new generation.
        is_under_way = is_under_way || is_troubled(ordinal);
        if (slot.stay == nullptr) {
            continue;
        }
        is_under_way = is_under_way || is_rolling(slot);
        if (!is_replaceable(slot) || is_leased(ordinal)) {
            continue;
        }
        if (is_down(*slot.stay)) {
            if (may_start()) {
                replace_in_place(ordinal);
            }
            continue;
        }
        const bool serves = state_.placements.nodes().is_serving(slot.stay->node);
        if (!serves && task_.is_everywhere()) {
            continue;  // It is replaced there, or nowhere.
        }
        if (!serves && !may_run(*slot.stay)) {
            stop(*slot.stay, Cause::rollout);  // Nothing is lost: it is placed as a missing one.
            continue;
        }
        ++outdated;
        std::optional<Ordinal>& first = serves ? next : next_elsewhere;
        first = first ? first : ordinal;
    }
    next = next ? next : next_elsewhere;
    if (next && !is_under_way) {
        replace(*next, outdated);
    }
}

/// Begins the replacement of one ordinal: elsewhere first if that can be, else in place.
void TaskRound::replace(Ordinal ordinal, std::uint32_t outdated) {
    if (!may_start()) {
        return;
    }
    const Slot& slot = state_.reading.slots[ordinal];
    const bool may_surge = task_.spec.update.max_surge > 0 && !task_.is_everywhere();
    if (room_ > 0 && may_surge && !scope_.held_back && surge(ordinal)) {
        return;
    }
    if (makes_room_) {
        return;  // A copy that leaves makes room elsewhere, or is itself taken down.
    }
    if (!state_.placements.nodes().is_serving(slot.stay->node)) {
        replace_elsewhere(ordinal, outdated);
    } else if (task_.spec.update.max_unavailable == 0) {
        fall_short(held_up_code, outdated);
        wait_for_place();  // The new copy may come up elsewhere then.
    } else {
        replace_in_place(ordinal);
    }
}

/// Starts the new copy of the ordinal, or of another one, where there is room for it.
bool TaskRound::surge(Ordinal ordinal) {
    // Where a node may have several copies and none may be taken down, the one free place may be
    // beside a copy of this very ordinal, but good for another.
    const bool tries_others = task_.spec.update.max_unavailable == 0 && task_.spec.max_per_node > 1;
    const std::uint32_t tried = tries_others ? task_.instances : 1;
    for (std::uint32_t step = 0; step < tried; ++step) {
        const Ordinal other = (ordinal + step) % task_.instances;
        const Slot& slot = state_.reading.slots[other];
        if (!is_replaceable(slot) || is_down(*slot.stay)) {
            continue;
        }
        Loads::Cursor cursor;
        if (const auto target = find_target(slot, cursor)) {
            start(other, *target, Cause::rollout);
            return true;
        }
    }
    return false;
}

/// The copy's node is there, but gets no work: without max_surge it is stopped first, once another
/// node has a place for it.
void TaskRound::replace_elsewhere(Ordinal ordinal, std::uint32_t outdated) {
    const bool may_surge = task_.spec.update.max_surge > 0;
    if (may_surge && room_ == 0) {
        return;  // What has taken the room will be over.
    }
    Loads::Cursor cursor;
    const bool may_stop = !may_surge && !scope_.held_back;
    const auto target =
        may_stop ? find_target(state_.reading.slots[ordinal], cursor) : std::optional<NodeIndex>{};
    if (target) {
        stop_first(ordinal, *target, Cause::rollout);
    } else {
        fall_short(held_up_code, outdated);
        wait_for_place();
    }
}

/// Where a lowered max_per_node leaves no room for it, or its node does not suit the task any more,
/// the copy goes, and is placed as a missing one.
void TaskRound::replace_in_place(Ordinal ordinal) {
    const Slot& slot = state_.reading.slots[ordinal];
    const Copy& stay = *slot.stay;
    if (task_.spec.exclusive && slot.last - slot.first > 1) {
        return;  // The other copy goes first.
    }
    if (is_shunned_in_place(ordinal) || !may_lease(stay.node)) {
        return;
    }
    if (state_.staying.of(stay.node) > task_.spec.max_per_node || why_leave(stay.node)) {
        state_.staying.take(stay.node);
        stop(stay, Cause::rollout);
    } else {
        start(ordinal, stay.node, Cause::rollout);
    }
}

}  // namespace muster::coordinator
