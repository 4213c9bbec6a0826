#include "coordinator/core/planning/tasks/task_round.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::coordinator {

TaskRound::TaskRound(PlannerState& state, TaskIndex index, const Scope& scope,
                     std::vector<Order>& orders)
    : state_{state},
      index_{index},
      task_{state.workload[index]},
      scope_{scope},
      orders_{orders},
      asks_{state.of(index).asks} {
    if (scope.held_back && task_.generation <= *scope.held_back) {
        rights_ = Rights::none;
    } else if (scope.held_back && task_.created <= *scope.held_back) {
        rights_ = Rights::replace_in_place;
    }
}

void TaskRound::plan() {
    const auto orders_before = static_cast<std::ptrdiff_t>(orders_.size());
    read(state_.workload, state_.placements, index_, state_.reading);
    if (scope_.held_back) {
        state_.mark(state_.parked, &PlannerState::PerTask::parked, index_);
    }
    if (task_.wanted) {
        const Reading& reading = state_.reading;
        const std::uint32_t most = task_.instances + task_.spec.update.max_surge;
        room_ = most - std::min(most, reading.total);
        makes_room_ = std::ranges::any_of(reading.copies, is_leaving);
        state_.occupancy.clear();
        for (const Copy& copy : reading.copies) {
            state_.occupancy.add(copy.node);
        }
        if (task_.is_everywhere()) {
            plan_every_node();
        } else {
            plan_instances(orders_before);
        }
    } else {
        state_.unblock(index_);
        state_.troubles.keep(index_, task_.generation, 0);
        plan_unwanted();
        sort_by_name(orders_before);
    }
    state_.record(index_, shortages_);
    state_.of(index_).ordered = std::ssize(orders_) != orders_before;
}

void TaskRound::plan_instances(std::ptrdiff_t orders_before) {
    look_after_troubles();
    stop_surplus();
    stop_duplicates();
    sort_by_name(orders_before);
    place_missing();
    evacuate();
    retry_failed();
    roll_out();
    if (state_.of(index_).decided > 0) {
        state_.revoke_crowded_moves(index_);
    }
}

/// Copies of one ordinal lie in the order of node indices, which must not reach the plan.
void TaskRound::sort_by_name(std::ptrdiff_t from) {
    const auto by_name = [&](const Order& a, const Order& b) {
        return a.ordinal != b.ordinal ? a.ordinal < b.ordinal
                                      : state_.placements.nodes().name(a.node) <
                                            state_.placements.nodes().name(b.node);
    };
    std::sort(orders_.begin() + from, orders_.end(), by_name);
}

void TaskRound::plan_unwanted() {
    for (const Copy& copy : state_.reading.copies) {
        stop(copy, Cause::unwanted);
    }
}

void TaskRound::stop_surplus() {
    for (const Copy& copy : state_.reading.copies.subspan(state_.reading.surplus)) {
        stop(copy, Cause::surplus);
    }
}

void TaskRound::stop_duplicates() {
    for (const Slot& slot : state_.reading.slots) {
        const bool is_served = slot.stay != nullptr && has_come_up(*slot.stay, task_.generation);
        for (const Copy& copy : state_.reading.copies.subspan(slot.first, slot.last - slot.first)) {
            if (copy.origin == Origin::claimed) {
                stop(copy, Cause::duplicate);  // A node gets an instance by order alone.
                continue;
            }
            if (slot.stay == nullptr) {
                continue;
            }
            // What became exclusive of late must not have two, be it that for a while none runs.
            const bool is_needless = is_served || is_of_the_past(copy) || task_.spec.exclusive ||
                                     has_failed_beside(copy, *slot.stay);
            if (&copy != slot.stay && is_needless) {
                stop(copy, cause_to_stop(copy, *slot.stay));
            }
        }
    }
}

/// It serves nobody and never will again: it only holds its place.
bool TaskRound::is_of_the_past(const Copy& copy) const {
    return is_outdated(copy, task_.generation) && !may_run(copy);
}

/// One place is enough to try it again; a stop that was lost on the way left two.
bool TaskRound::has_failed_beside(const Copy& copy, const Copy& stay) const {
    return copy.reported && copy.state == InstanceState::failed && !copy.orders.starting &&
           !stay.orders.moving && copy.generation == task_.generation;
}

/// Of a copy that another one of its ordinal makes needless.
Cause TaskRound::cause_to_stop(const Copy& copy, const Copy& stay) const {
    if (copy.generation < task_.generation) {
        return Cause::rollout;
    }
    if (!stay.orders.moving) {
        return Cause::duplicate;
    }
    const auto why = why_leave(copy.node);
    return why ? why->cause : Cause::balance;
}

void TaskRound::place_missing() {
    Loads::Cursor cursor;
    std::uint32_t unplaced = 0;
    std::uint32_t awaited = 0;
    std::uint32_t throttled = 0;
    std::uint32_t frozen = 0;
    std::uint32_t leased = 0;
    for (Ordinal ordinal = 0; ordinal < task_.instances; ++ordinal) {
        if (state_.reading.slots[ordinal].stay != nullptr) {
            continue;
        }
        if (rights_ == Rights::all && is_frozen(ordinal)) {
            ++frozen;
        } else if (rights_ == Rights::all && is_awaited(ordinal)) {
            ++awaited;
        } else if (rights_ == Rights::all && is_leased(ordinal)) {
            ++leased;
        } else if (rights_ == Rights::all && room_ > 0 && !may_start()) {
            ++throttled;
        } else if (rights_ != Rights::all || !place(ordinal, cursor)) {
            ++unplaced;
        }
    }
    if (throttled > 0) {
        fall_short(starts_spent_code, throttled);
    }
    if (unplaced > 0) {
        fall_short(held_off_       ? refused_code
                   : has_no_lease_ ? lease_code
                                   : why_unplaced(),
                   unplaced);
        wait_for_place();
    }
    if (leased > 0) {
        fall_short(lease_code, leased);
    }
    if (awaited > 0) {
        fall_short(awaited_code, awaited);
    }
    if (frozen > 0) {
        fall_short(frozen_code, frozen);
    }
}

/// Looks again when another node serves, and where room is short, when some node has more of it.
void TaskRound::wait_for_place() {
    state_.mark(state_.waiting, &PlannerState::PerTask::waiting, index_);
    if (!state_.candidates.is_trivial(asks_) || why_unplaced() == to_string(Verdict::full)) {
        state_.mark(state_.short_of_room, &PlannerState::PerTask::short_of_room, index_);
    }
}

std::string_view TaskRound::why_unplaced() const {
    const Loads& loads = state_.homes.loads();
    if (rights_ != Rights::all) {
        return recovering_code;
    }
    if (loads.serving() == 0) {
        return "no_nodes";
    }
    const Verdict verdict = state_.candidates.why_none(asks_);
    if (verdict != Verdict::fits) {
        return to_string(verdict);
    }
    return to_string(loads.least() < limits::instances_per_node ? Verdict::max_per_node
                                                                : Verdict::full);
}

bool TaskRound::place(Ordinal ordinal, Loads::Cursor& cursor) {
    const Slot& slot = state_.reading.slots[ordinal];
    // Room that another instance leaves is none for a second copy of this one.
    const bool waits_for_own = task_.spec.exclusive && slot.first < slot.last;
    if (room_ > 0 && !waits_for_own) {
        if (const auto target = find_target(slot, cursor)) {
            const bool is_lost = state_.homes.of(index_, ordinal) != Homes::none;
            const Cause cause = is_lost ? Cause::lost : Cause::missing;
            start(ordinal, *target, trouble_of(ordinal) != nullptr ? Cause::retry : cause);
            return true;
        }
    }
    // No place is kept where it cannot be started, and perhaps never can.
    return !has_no_lease_ && defer(ordinal);
}

bool TaskRound::defer(Ordinal ordinal) {
    Tally<NodeIndex>& at_home = state_.at_home;
    if (!std::exchange(homes_counted_, true)) {
        at_home.clear();
        for (Ordinal other = 0; other < task_.instances; ++other) {
            // What is to move and has not begun is still where it was.
            const NodeIndex home = state_.is_to_move(index_, other)
                                       ? state_.reading.slots[other].stay->node
                                       : state_.homes.of(index_, other);
            if (home != Homes::none) {
                at_home.add(home);
            }
        }
    }
    const Slot& slot = state_.reading.slots[ordinal];
    const auto own = state_.reading.copies.subspan(slot.first, slot.last - slot.first);
    const Trouble* const trouble = trouble_of(ordinal);
    Loads::Cursor anew;  // What has no room for others may have it where a copy of its own is.
    const bool is_shared =
        trouble == nullptr && (own.empty() || state_.candidates.is_trivial(asks_));
    Loads::Cursor& cursor = is_shared ? deferred_ : anew;
    const auto home =
        state_.candidates.next({.of = asks_, .own = own}, cursor, [&](NodeIndex node) {
            return has_place(node) && at_home.of(node) < task_.spec.max_per_node &&
                   (trouble == nullptr || !trouble->shuns(node, scope_.now));
        });
    if (home) {
        at_home.add(*home);
    }
    // Where nothing leaves, as in a roll-out that cannot go on, nothing is kept from other tasks.
    if (home && makes_room_) {
        state_.deferred[{index_, ordinal}] = state_.homes.of(index_, ordinal);
        state_.set_home(index_, ordinal, *home);
    }
    return home.has_value();
}

bool TaskRound::has_place(NodeIndex node) const {
    return state_.homes.loads().of(node) < limits::instances_per_node;
}

/// The least loaded node that may take a copy of the ordinal.
std::optional<NodeIndex> TaskRound::find_target(const Slot& slot, Loads::Cursor& cursor) {
    const auto others = state_.reading.copies.subspan(slot.first, slot.last - slot.first);
    const Trouble* const trouble =
        trouble_of(static_cast<Ordinal>(&slot - state_.reading.slots.data()));
    bool skipped = false;
    bool passed_over = false;
    bool has_no_lease = false;
    const auto fits = [&](NodeIndex node) {
        if (state_.occupancy.of(node) >= task_.spec.max_per_node || !has_place(node)) {
            return false;
        }
        // Where a copy of this very ordinal still is, another cannot be.
        const bool has_it =
            std::ranges::any_of(others, [&](const Copy& copy) { return copy.node == node; });
        const bool is_shunned = trouble != nullptr && trouble->shuns(node, scope_.now);
        const bool is_unleased = !may_lease(node);
        skipped = skipped || has_it || is_shunned || is_unleased;
        passed_over = passed_over || is_shunned;
        has_no_lease = has_no_lease || is_unleased;
        return !has_it && !is_shunned && !is_unleased;
    };
    const bool has_scores = needs_scores(task_.place);
    if (has_scores && !choice_) {
        choice_.emplace(state_, index_);
    }
    Loads::Cursor here = cursor;
    const auto target =
        has_scores ? choice_->best(fits) : state_.candidates.next({.of = asks_}, here, fits);
    if (!skipped) {
        cursor = here;
    }
    if (!target && passed_over) {
        held_off_ = true;
        wake_for(*trouble);
    }
    has_no_lease_ = has_no_lease_ || (!target && has_no_lease);
    return target;
}

// ---- orders ----

void TaskRound::stop(const Copy& copy, Cause cause) {
    const bool is_spared = state_.placements.copies().is_foreign(copy) && !scope_.stop_strays;
    if (!copy.reported || is_leaving(copy) || is_spared ||
        !state_.placements.nodes().is_commandable(copy.node)) {
        return;
    }
    if (scope_.held_back && copy.generation <= *scope_.held_back) {
        return;
    }
    makes_room_ = true;
    orders_.push_back(
        {Order::Action::stop, cause, index_, copy.ordinal, copy.node, copy.generation});
}

/// Stops the copy that stays, and keeps a place for the ordinal at the target.
void TaskRound::stop_first(Ordinal ordinal, NodeIndex target, Cause cause) {
    stop(*state_.reading.slots[ordinal].stay, cause);
    ++stopped_first_;
    state_.occupancy.add(target);
    rehome(ordinal, target);
    state_.deferred[{index_, ordinal}] = Homes::none;
}

void TaskRound::rehome(Ordinal ordinal, NodeIndex node) {
    if (choice_) {
        choice_->move(state_.homes.of(index_, ordinal), node);
    }
    if (state_.is_to_move(index_, ordinal)) {
        state_.revoke(state_.moves.find({index_, ordinal}));  // It leaves for a better reason.
    }
    state_.set_home(index_, ordinal, node);
}

bool TaskRound::may_start() {
    if (state_.starts_left != 0U) {
        return true;
    }
    state_.mark(state_.dirty, &PlannerState::PerTask::dirty, index_);
    return false;
}

void TaskRound::start(Ordinal ordinal, NodeIndex node, Cause cause) {
    if (state_.starts_left) {
        ensure(*state_.starts_left > 0, "no more is started in a round than it may");
        *state_.starts_left -= 1;
    }
    const Slot& slot = state_.reading.slots[ordinal];
    const bool in_place = slot.stay != nullptr && slot.stay->node == node;
    if (!in_place) {
        ensure(room_ > 0, "no copy is added above instances + max_surge");
        room_ -= 1;
        state_.occupancy.add(node);
        rehome(ordinal, node);
        if (homes_counted_) {
            state_.at_home.add(node);
        }
    }
    orders_.push_back({Order::Action::start, cause, index_, ordinal, node, task_.generation});
}

/// Says why, and looks again when another node serves. An instance without a home is said before
/// one that is not of the wanted generation.
void TaskRound::fall_short(std::string_view code, std::uint32_t count) {
    if (code != held_up_code || shortages_.empty()) {
        const auto smaller = std::ranges::find_if(
            shortages_, [&](const Shortage& other) { return other.count < count; });
        shortages_.insert(smaller, {code, count});
    }
    state_.mark(state_.waiting, &PlannerState::PerTask::waiting, index_);
}

}  // namespace muster::coordinator
