#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "coordinator/core/planning/tasks/task_round.hpp"

// The part of TaskRound that moves instances off nodes that are to be left.
namespace muster::coordinator {

/// The new copy first, where a node and `max_surge` allow it; without `max_surge` the copy is
/// stopped first, once another node has a place for it. What cannot leave is named.
void TaskRound::evacuate() {
    state_.unblock(index_);
    if (state_.placements.nodes().evacuating() == 0 && state_.candidates.is_trivial(asks_)) {
        return;
    }
    Loads::Cursor cursor;
    for (Ordinal ordinal = 0; ordinal < task_.instances; ++ordinal) {
        const Copy* const stay = state_.reading.slots[ordinal].stay;
        if (stay == nullptr || !may_run(*stay)) {
            continue;
        }
        if (const auto why = why_leave(stay->node)) {
            if (const auto blocker = move_off(ordinal, *why, cursor); !blocker.empty()) {
                state_.blocked[{index_, ordinal}] = blocker;
            }
        }
    }
}

/// The node is to be left, by all or by this task.
std::optional<Evacuation> TaskRound::why_leave(NodeIndex node) const {
    if (const auto evacuation = state_.placements.nodes().evacuation(node)) {
        return evacuation;
    }
    const bool fits = state_.candidates.is_trivial(asks_) || state_.candidates.admits(asks_, node);
    return fits ? std::optional<Evacuation>{} : Evacuation{.cause = Cause::unfit};
}

/// Begins to move one ordinal; else says what blocks it.
std::string_view TaskRound::move_off(Ordinal ordinal, const Evacuation& why,
                                     Loads::Cursor& cursor) {
    const Slot& slot = state_.reading.slots[ordinal];
    const Copy& stay = *slot.stay;
    if (rights_ != Rights::all) {
        return recovering_code;
    }
    if (stay.orders.starting || !stay.reported) {
        return "starting";  // An answer is to show first what becomes of it.
    }
    if (!state_.placements.nodes().is_commandable(stay.node)) {
        return "no_orders";
    }
    if (!may_start()) {
        return starts_spent_code;
    }
    const bool starts_first = task_.spec.update.max_surge > 0;
    if (starts_first && room_ == 0) {
        return "max_surge";
    }
    if (!starts_first && taken_down() >= task_.spec.update.max_unavailable) {
        return held_up_code;
    }
    const auto target = find_target(slot, cursor);
    if (!target && !why.force) {
        wait_for_place();
        return held_off_ ? refused_code : why_unplaced();
    }
    if (!target) {
        stop(stay, why.cause);
    } else if (starts_first) {
        start(ordinal, *target, why.cause);
    } else {
        stop_first(ordinal, *target, why.cause);
    }
    return {};
}

/// Ordinals that were taken down and do not run again yet, as far as copies and homes tell.
std::uint32_t TaskRound::taken_down() const {
    std::uint32_t down = stopped_first_;
    for (Ordinal ordinal = 0; ordinal < task_.instances; ++ordinal) {
        const Slot& slot = state_.reading.slots[ordinal];
        if (slot.stay == nullptr) {
            const bool is_placed =
                state_.placements.nodes().is_counted(state_.homes.of(index_, ordinal));
            down += slot.last > slot.first || is_placed ? 1U : 0U;  // It leaves, or starts.
            continue;
        }
        const Copy& stay = *slot.stay;
        const bool begins = !stay.reported || stay.orders.starting || stay.orders.taken_down ||
                            stay.state == InstanceState::pending ||
                            stay.state == InstanceState::starting;
        down += begins ? 1U : 0U;
    }
    return down;
}

}  // namespace muster::coordinator
