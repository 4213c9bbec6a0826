#include <algorithm>
#include <cstddef>
#include <span>

#include "coordinator/core/planning/balance/balance.hpp"
#include "coordinator/core/planning/pass/choice.hpp"

namespace muster::coordinator {

namespace {

// Tasks checked for each move that may begin, and at least.
constexpr std::size_t checks_for_each = 4;
constexpr std::size_t checks_at_least = 64;

/// True if the move makes spread or affinity worse, with all other instances at their homes.
/// `choice` counts the instance at the target.
bool makes_worse(Choice& choice, NodeIndex from, NodeIndex target) {
    choice.move(target, from);
    const bool is_worse = choice.is_worse(target, from);
    choice.move(from, target);
    return is_worse;
}

/// Begins the moves of one task.
void begin_of(PlannerState& state, TaskIndex index, const Scope& scope, std::uint32_t& budget,
              std::vector<Order>& orders) {
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
    for (auto [next, end] = of_task(state.places.moves(), index); next != end;) {
        const auto move = next++;
        if (!state.moves.is_worth_it(*move)) {
            give_up(move);
            continue;
        }
        if (state.move_queue.rests_until(index, move->first.second)) {
            any_rests = true;  // Its task gets a turn again when the rest ends.
            continue;
        }
        const auto [instance, target] = *move;
        const Ordinal ordinal = instance.second;
        const bool has_double = copies_of(copies, ordinal).size() > 1;
        const bool fits = state.scratch.copies.of(target) < wanted.spec.max_per_node;
        if (room == 0 || budget == 0 || has_double || !fits) {
            state.moves.turns().add(index);  // A leaving copy must be gone first.
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
            state.move_queue.rest(instance, scope.now + scope.move_cooldown);
        }
    }
    const bool may_begin = room > 0 && budget > 0 && copies.size() <= wanted.instances;
    if (may_begin && !any_rests && orders.size() == ordered_before) {
        state.moves.revoke_all(index);  // The moves wait for each other in a circle.
    }
}

}  // namespace

void begin_moves(PlannerState& state, const Scope& scope, std::uint32_t budget,
                 const TaskList& ordered, std::vector<Order>& orders) {
    while (const auto rested = state.move_queue.take_rested(scope.now)) {
        if (state.places.moves().contains(*rested)) {
            state.moves.turns().add(rested->first);
        }
    }
    TaskTurns& turns = state.moves.turns();
    turns.line_up(state.workload);
    // A task that cannot begin a move costs one check. This many checks find those that can, over
    // some passes.
    std::size_t checks = checks_for_each * budget + checks_at_least;
    while (checks > 0 && budget > 0 && !turns.empty()) {
        const TaskIndex task = turns.next();
        if (!state.places.is_any_to_move(task)) {
            continue;
        }
        --checks;
        state.move_queue.count_check();
        if (ordered.contains(task)) {
            turns.add(task);  // Other orders come first.
        } else {
            begin_of(state, task, scope, budget, orders);
        }
    }
}

}  // namespace muster::coordinator
