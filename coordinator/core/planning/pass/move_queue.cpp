#include "coordinator/core/planning/pass/move_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

namespace {

// Tasks looked at for each move that may begin, and besides.
constexpr std::size_t looks_for_each = 4;
constexpr std::size_t looks_at_least = 64;

/// By spread and group its instance would be worse off at the target than where it runs, as long as
/// the others are where they are to be. `choice` counts it at the target.
bool makes_worse(Choice& choice, NodeIndex from, NodeIndex target) {
    choice.move(target, from);
    const bool is_worse = choice.is_worse(target, from);
    choice.move(from, target);
    return is_worse;
}

}  // namespace

std::optional<Instant> MoveQueue::rests_until(TaskIndex index, Ordinal ordinal) const {
    const auto rest = resting_.find({index, ordinal});
    return rest == resting_.end() ? std::nullopt : std::optional{rest->second};
}

void MoveQueue::end_rests(PlannerState& state, Instant now) {
    while (!rests_.empty() && rests_.front().first <= now) {
        const auto [end, instance] = rests_.front();
        rests_.pop_front();
        const auto rest = resting_.find(instance);
        if (rest != resting_.end() && rest->second == end) {
            resting_.erase(rest);
            if (state.places.moves().contains(instance)) {
                state.moves.turns().add(instance.first);
            }
        }
    }
}

void MoveQueue::begin(PlannerState& state, const Scope& scope, std::uint32_t budget,
                      const TaskList& ordered, std::vector<Order>& orders) {
    end_rests(state, scope.now);
    TaskTurns& turns = state.moves.turns();
    turns.line_up(state.workload);
    // What cannot begin now costs a look; so many suffice to find what can, in turn.
    std::size_t looks = looks_for_each * budget + looks_at_least;
    while (looks > 0 && budget > 0 && !turns.empty()) {
        const TaskIndex task = turns.next();
        if (!state.places.is_any_to_move(task)) {
            continue;
        }
        --looks;
        ++looks_;
        if (ordered.contains(task)) {
            turns.add(task);  // What is urgent comes first.
        } else {
            begin(state, task, scope, budget, orders);
        }
    }
}

void MoveQueue::begin(PlannerState& state, TaskIndex index, const Scope& scope,
                      std::uint32_t& budget, std::vector<Order>& orders) {
    state.moves.revoke_crowded(index, state.scratch.at_home);
    const Task& wanted = state.workload[index];
    const std::span<const Copy> copies = state.placements.copies().of(index);
    state.scratch.copies.clear();
    for (const Copy& copy : copies) {
        state.scratch.copies.add(copy.node);
    }
    const std::size_t most = std::size_t{wanted.instances} + wanted.spec.update.max_surge;
    std::size_t room = most - std::min(most, copies.size());
    const std::size_t ordered_before = orders.size();
    bool any_rests = false;
    std::optional<Choice> choice;
    const auto give_up = [&](Moves::Decided::const_iterator move) {
        const auto [instance, target] = *move;
        state.moves.revoke(move);
        if (choice) {
            choice->move(target, state.places.home(index, instance.second));
        }
    };
    auto next = state.places.moves().lower_bound({index, 0});
    while (next != state.places.moves().end() && next->first.first == index) {
        const auto move = next++;
        if (!state.moves.is_worth_it(*move)) {
            give_up(move);
            continue;
        }
        if (resting_.contains(move->first)) {
            any_rests = true;  // The end of its rest brings its task back.
            continue;
        }
        const auto [instance, target] = *move;
        const Ordinal ordinal = instance.second;
        const bool has_double = copies_of(copies, ordinal).size() > 1;
        const bool fits = state.scratch.copies.of(target) < wanted.spec.max_per_node;
        if (room == 0 || budget == 0 || has_double || !fits) {
            state.moves.turns().add(index);  // A copy that leaves must be gone first.
            continue;
        }
        if (needs_scores(wanted.place) && !choice) {
            choice.emplace(state, index);
        }
        if (choice && makes_worse(*choice, state.moves.movable(index, ordinal)->node, target)) {
            give_up(move);
            continue;
        }
        state.scratch.copies.add(target);
        state.places.take_place(index, target);
        orders.push_back(
            {Order::Action::start, Cause::balance, index, ordinal, target, wanted.generation});
        state.due.add(index);
        --room;
        --budget;
        if (scope.move_cooldown > Duration{}) {
            resting_[instance] = scope.now + scope.move_cooldown;
            rests_.emplace_back(scope.now + scope.move_cooldown, instance);
        }
    }
    const bool may_begin = room > 0 && budget > 0 && copies.size() <= wanted.instances;
    if (may_begin && !any_rests && orders.size() == ordered_before) {
        state.moves.revoke_all(index);  // Each waits for another one's place, in a circle.
    }
}

}  // namespace muster::coordinator
