#include "coordinator/core/planning/tasks/task_orders.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

std::uint32_t room_for(const Task& task, const Reading& reading) {
    // With every_node, each node has its own ordinal.
    const std::uint32_t most = task.instances + task.spec.update.max_surge;
    return task.is_everywhere() ? task.ordinals() : most - std::min(most, reading.total);
}

}  // namespace

TaskOrders::TaskOrders(const TaskAtHand& at, PlannerState& state, TargetSearch& search,
                       PassOrders& pass)
    : at_{at},
      state_{state},
      search_{search},
      pass_{pass},
      first_{pass.all.size()},
      room_{room_for(at.task, at.reading)},
      makes_room_{std::ranges::any_of(at.reading.copies, is_leaving)} {}

void TaskOrders::stop(const Copy& copy, Cause cause) {
    const bool is_spared = at_.placements.copies().is_foreign(copy) && !at_.scope.stop_strays;
    if (!copy.reported || is_leaving(copy) || is_spared ||
        !at_.placements.nodes().is_commandable(copy.node)) {
        return;
    }
    if (at_.scope.held_back && copy.generation <= *at_.scope.held_back) {
        return;
    }
    makes_room_ = true;
    pass_.all.push_back(
        {Order::Action::stop, cause, at_.index, copy.ordinal, copy.node, copy.generation});
}

void TaskOrders::stop_first(Ordinal ordinal, NodeIndex target, Cause cause) {
    stop(*at_.kept(ordinal), cause);
    ++stopped_first_;
    has_begun_ = true;
    rehome(ordinal, target);
    state_.notes.deferred[{at_.index, ordinal}] = Homes::none;
}

bool TaskOrders::may_start() const {
    if (pass_.starts_left != 0U) {
        return true;
    }
    at_.due.add(at_.index);
    return false;
}

void TaskOrders::start(Ordinal ordinal, NodeIndex node, Cause cause) {
    if (pass_.starts_left) {
        ensure(*pass_.starts_left > 0, "no more is started in a pass than it may");
        *pass_.starts_left -= 1;
    }
    const Copy* const kept = at_.kept(ordinal);
    if (kept == nullptr || kept->node != node) {
        ensure(room_ > 0, "no copy is added above instances + max_surge");
        room_ -= 1;
        rehome(ordinal, node);
    }
    has_begun_ = true;
    pass_.all.push_back(
        {Order::Action::start, cause, at_.index, ordinal, node, at_.task.generation});
}

void TaskOrders::rehome(Ordinal ordinal, NodeIndex node) {
    search_.on_placed(at_.home(ordinal), node);
    if (at_.is_to_move(ordinal)) {
        state_.moves.revoke(at_.index, ordinal);  // It leaves for a more important reason.
    }
    state_.places.set_home(at_.index, ordinal, node);
}

void TaskOrders::defer(Ordinal ordinal, NodeIndex home) {
    if (makes_room_) {
        state_.notes.deferred[{at_.index, ordinal}] = at_.home(ordinal);
        state_.places.set_home(at_.index, ordinal, home);
    }
}

void TaskOrders::sort_by_name() {
    const auto by_name = [&](const Order& order) {
        return std::pair{order.ordinal, std::string_view{at_.placements.nodes().name(order.node)}};
    };
    std::ranges::sort(std::span{pass_.all}.subspan(first_), {}, by_name);
}

std::uint32_t TaskOrders::taken_down() const {
    std::uint32_t down = stopped_first_;
    for (Ordinal ordinal = 0; ordinal < at_.task.instances; ++ordinal) {
        const Slot& slot = at_.slot(ordinal);
        if (slot.is_over) {
            continue;
        }
        if (slot.kept == nullptr) {  // Its copies are leaving, or its start is ordered.
            down += slot.last > slot.first || at_.is_home_counted(ordinal) ? 1U : 0U;
            continue;
        }
        const Copy& kept = *slot.kept;
        down += kept.orders.taken_down || is_starting(kept) ? 1U : 0U;
    }
    return down;
}

void Shortfall::add(Obstacle code, std::uint32_t count) {
    if (count == 0) {
        return;
    }
    if (code != Obstacle::max_unavailable || all_.empty()) {
        const auto smaller =
            std::ranges::find_if(all_, [&](const Shortage& other) { return other.count < count; });
        all_.insert(smaller, {code, count});
    }
    at_.due.wait_for_nodes(at_.index);
}

void Shortfall::wait_for_place() {
    at_.due.wait_for_nodes(at_.index);
    if (!at_.suits_all_nodes() || search_.why_none() == Obstacle::full) {
        at_.due.wait_for_room(at_.index);
    }
}

}  // namespace muster::coordinator
