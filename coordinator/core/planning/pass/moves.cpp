#include "coordinator/core/planning/pass/moves.hpp"

#include <iterator>
#include <optional>

namespace muster::coordinator {

void Moves::decide(TaskIndex task, Ordinal ordinal, NodeIndex target) {
    places_.decide(task, ordinal, target);
    turns_.add(task);
}

bool Moves::is_movable(const Task& task, const Copy& kept) const {
    const bool runs = kept.reported && kept.state == InstanceState::running &&
                      kept.generation == task.generation && !kept.orders.starting &&
                      !kept.orders.moving;
    // An instance that runs to its end would lose its progress by a move.
    const bool may = task.spec.restart.policy == RestartPolicy::always &&
                     task.spec.update.max_surge > 0 && !task.place.pinned && !task.is_everywhere();
    return may && runs && placements_.nodes().is_serving(kept.node);
}

const Copy* Moves::movable(TaskIndex index, Ordinal ordinal) const {
    const Task& task = workload_[index];
    // A stray that is left alone uses the room for the copy that a move adds.
    const bool is_full = statuses_.strays_of(index) >= task.spec.update.max_surge;
    const bool has_any = raw(index) < movable_.size() && movable_[raw(index)] > 0;
    const Copy* kept = ordinal < task.ordinals() && has_any && !is_full
                           ? find_kept(workload_, placements_, index, ordinal)
                           : nullptr;
    return kept != nullptr && is_movable(task, *kept) ? kept : nullptr;
}

bool Moves::is_worth_it(const Decided::value_type& move) const {
    const auto& [instance, target] = move;
    const auto& [index, ordinal] = instance;
    const Copy* const kept = movable(index, ordinal);
    return kept != nullptr &&
           requirements_.candidates().has_room(requirements_.of(index), target) &&
           places_.loads().of(target) <=
               places_.loads().of(kept->node) + (requirements_.is_uniform() ? 1U : 0U);
}

Moves::Decided::const_iterator Moves::revoke(Decided::const_iterator move) {
    const auto [index, ordinal] = move->first;
    const Copy* const kept = movable(index, ordinal);
    if (has_task(deferred_, index)) {
        due_.add(index);  // The task may have counted on that room.
    }
    balance_may_improve_ = true;
    return places_.drop(move, kept != nullptr ? std::optional{kept->node} : std::nullopt);
}

void Moves::revoke_unless(const DecidedRange& moves, const auto& holds) {
    for (auto move = moves.first; move != moves.second;) {
        move = holds(*move) ? std::next(move) : revoke(move);
    }
}

void Moves::revoke_all() {
    revoke_unless(all(), [](const auto& /*move*/) { return false; });
}

void Moves::revoke_all(TaskIndex index) {
    revoke_unless(of_task(places_.moves(), index), [](const auto& /*move*/) { return false; });
}

bool Moves::suits(const Decided::value_type& move) const {
    return places_.loads().is_serving(move.second) &&
           requirements_.admits(move.first.first, move.second);
}

void Moves::revoke_void(TaskIndex index) {
    revoke_unless(of_task(places_.moves(), index), [&](const auto& move) {
        return movable(index, move.first.second) != nullptr && suits(move);
    });
}

void Moves::revoke_unsuited() {
    revoke_unless(all(), [&](const auto& move) { return suits(move); });
}

void Moves::revoke_crowded(TaskIndex index, Tally<NodeIndex>& at_home) {
    const Task& task = workload_[index];
    places_.count_homes(index, task.instances, at_home);
    revoke_unless(of_task(places_.moves(), index), [&](const auto& move) {
        if (at_home.of(move.second) <= task.spec.max_per_node) {
            return true;
        }
        at_home.remove(move.second);
        turns_.add(index);  // The node that it returns to may be crowded, too.
        return false;
    });
}

void Moves::on_read(TaskIndex index, std::uint32_t movable) {
    std::uint32_t& before = made_at(movable_, index);
    balance_may_improve_ = balance_may_improve_ || movable > before;
    before = movable;
}

void Moves::forget(TaskIndex index) {
    if (raw(index) < movable_.size()) {
        movable_[raw(index)] = 0;
    }
}

void Moves::on_balanced(bool moves) {
    ++balances_;
    balance_may_improve_ = false;
    last_ = {.homes = places_.homes().version(), .by_moves = moves};
}

}  // namespace muster::coordinator
