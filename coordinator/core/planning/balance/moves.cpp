#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

// The half of PlannerState that keeps and carries out the moves of the balance.
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

void PlannerState::decide(TaskIndex task, Ordinal ordinal, NodeIndex target) {
    ensure(moves.emplace(std::pair{task, ordinal}, target).second,
           "an instance is moved once in a round");
    of(task).decided += 1;
    homes.set(task, ordinal, target);
    mark(movers, &PerTask::mover, task);
}

bool PlannerState::is_to_move(TaskIndex index, Ordinal ordinal) const {
    return raw(index) < tasks.size() && tasks[raw(index)].decided > 0 &&
           moves.contains({index, ordinal});
}

bool PlannerState::is_worth_it(const Moves::value_type& move) const {
    const auto& [instance, target] = move;
    const auto& [index, ordinal] = instance;
    const Copy* const stay = movable(index, ordinal);
    return stay != nullptr && candidates.has_room(tasks[raw(index)].asks, target) &&
           homes.loads().of(target) <= homes.loads().of(stay->node) + (is_uniform() ? 1U : 0U);
}

void PlannerState::take_place(TaskIndex index, NodeIndex target) {
    if (of(index).claims) {
        reserved.claim(index, target);
    }
    if (!workload[index].place.group.empty()) {
        groups.add(index, target);
    }
}

void PlannerState::give_up_place(TaskIndex index, NodeIndex target) {
    if (of(index).claims) {
        reserved.unclaim(index, target);
    }
    if (!workload[index].place.group.empty()) {
        groups.remove(index, target);
    }
}

PlannerState::Moves::iterator PlannerState::revoke(Moves::iterator move) {
    const auto [index, ordinal] = move->first;
    PerTask& task = of(index);
    ensure(task.decided > 0, "each decided move is counted at its task");
    task.decided -= 1;
    if (const Copy* copy = movable(index, ordinal)) {
        homes.set(index, ordinal, copy->node);
    }
    if (const auto other = deferred.lower_bound({index, 0});
        other != deferred.end() && other->first.first == index) {
        mark(dirty, &PerTask::dirty, index);  // It may have counted on the place.
    }
    may_be_evener = true;
    return moves.erase(move);
}

void PlannerState::revoke_void_moves(TaskIndex index) {
    auto move = moves.lower_bound({index, 0});
    while (move != moves.end() && move->first.first == index) {
        const bool holds = movable(index, move->first.second) != nullptr &&
                           homes.loads().is_serving(move->second) &&
                           candidates.admits(of(index).asks, move->second);
        move = holds ? std::next(move) : revoke(move);
    }
}

void PlannerState::revoke_crowded_moves(TaskIndex index) {
    const Task& task = workload[index];
    at_home.clear();
    for (Ordinal ordinal = 0; ordinal < task.instances; ++ordinal) {
        if (const NodeIndex home = homes.of(index, ordinal); home != Homes::none) {
            at_home.add(home);
        }
    }
    auto move = moves.lower_bound({index, 0});
    while (move != moves.end() && move->first.first == index) {
        if (at_home.of(move->second) <= task.spec.max_per_node) {
            ++move;
            continue;
        }
        at_home.take(move->second);
        mark(movers, &PerTask::mover, index);  // What it goes back to may be crowded in turn.
        move = revoke(move);
    }
}

void PlannerState::revoke_moves(TaskIndex index) {
    auto move = moves.lower_bound({index, 0});
    while (move != moves.end() && move->first.first == index) {
        move = revoke(move);
    }
}

void PlannerState::revoke_moves() {
    for (auto move = moves.begin(); move != moves.end();) {
        move = revoke(move);
    }
}

bool PlannerState::is_movable(const Task& task, const Copy& stay) const {
    const bool runs = stay.reported && stay.state == InstanceState::running &&
                      stay.generation == task.generation && !stay.orders.starting &&
                      !stay.orders.moving;
    // What is to run to its end loses its work by a move: a stop, and a new beginning elsewhere.
    const bool may = task.spec.restart.policy == RestartPolicy::always &&
                     task.spec.update.max_surge > 0 && !task.place.pinned && !task.is_everywhere();
    return may && runs && placements.nodes().is_serving(stay.node);
}

const Copy* PlannerState::movable(TaskIndex index, Ordinal ordinal) const {
    const Task& task = workload[index];
    // A copy that is left alone takes the place of the one that a move adds.
    const bool is_full =
        raw(index) < tasks.size() && tasks[raw(index)].status.strays >= task.spec.update.max_surge;
    const Copy* stay = ordinal < task.ordinals() && !is_full
                           ? find_stay(workload, placements, index, ordinal)
                           : nullptr;
    return stay != nullptr && is_movable(task, *stay) ? stay : nullptr;
}

void PlannerState::balance_sought() {
    ++effort.balances;
    may_be_evener = false;
    balanced_homes = homes.version();
}

void PlannerState::queue_movers() {
    for (const TaskIndex task : take(movers, &PerTask::mover)) {
        of(task).mover = true;
        moving_in_turns.push_back(task);
    }
}

void PlannerState::end_rests(Instant now) {
    while (!rests.empty() && rests.front().first <= now) {
        const auto [end, instance] = rests.front();
        rests.pop_front();
        const auto rest = resting.find(instance);
        if (rest != resting.end() && rest->second == end) {
            resting.erase(rest);
            if (moves.contains(instance)) {
                mark(movers, &PerTask::mover, instance.first);
            }
        }
    }
}

void PlannerState::carry_out_moves(const Scope& scope, std::vector<Order>& orders) {
    end_rests(scope.now);
    if (!movers.empty()) {
        queue_movers();
    }
    std::uint32_t budget = scope.moves;
    // What cannot begin now costs a look; so many suffice to find what can, in turn.
    std::size_t looks = looks_for_each * budget + looks_at_least;
    while (looks > 0 && budget > 0 && !moving_in_turns.empty()) {
        const TaskIndex task = moving_in_turns.front();
        moving_in_turns.pop_front();
        of(task).mover = false;
        if (of(task).decided > 0) {
            --looks;
            ++effort.move_looks;
            carry_out_moves(task, scope, budget, orders);
        }
    }
}

void PlannerState::carry_out_moves(TaskIndex index, const Scope& scope, std::uint32_t& budget,
                                   std::vector<Order>& orders) {
    if (of(index).ordered) {
        mark(movers, &PerTask::mover, index);  // What is urgent comes first.
        return;
    }
    revoke_crowded_moves(index);
    const Task& wanted = workload[index];
    const std::span<const Copy> copies = placements.copies().of(index);
    occupancy.clear();
    for (const Copy& copy : copies) {
        occupancy.add(copy.node);
    }
    const std::size_t most = std::size_t{wanted.instances} + wanted.spec.update.max_surge;
    std::size_t room = most - std::min(most, copies.size());
    const std::size_t ordered_before = orders.size();
    bool any_rests = false;
    const bool has_scores = needs_scores(wanted.place);
    std::optional<Choice> choice;
    const auto give_up = [&](Moves::iterator move) {
        const auto [instance, target] = *move;
        revoke(move);
        if (choice) {
            choice->move(target, homes.of(index, instance.second));
        }
    };
    auto next = moves.lower_bound({index, 0});
    while (next != moves.end() && next->first.first == index) {
        const auto move = next++;
        if (!is_worth_it(*move)) {
            give_up(move);
            continue;
        }
        if (resting.contains(move->first)) {
            any_rests = true;  // The end of its rest brings its task back.
            continue;
        }
        const Ordinal ordinal = move->first.second;
        const bool has_double = copies_of(copies, ordinal).size() > 1;
        const bool fits = occupancy.of(move->second) < wanted.spec.max_per_node;
        if (room == 0 || budget == 0 || has_double || !fits) {
            mark(movers, &PerTask::mover, index);  // A copy that leaves must be gone first.
            continue;
        }
        if (has_scores && !choice) {
            choice.emplace(*this, index);
        }
        if (choice && makes_worse(*choice, movable(index, ordinal)->node, move->second)) {
            give_up(move);
            continue;
        }
        occupancy.add(move->second);
        take_place(index, move->second);
        orders.push_back({Order::Action::start, Cause::balance, index, ordinal, move->second,
                          wanted.generation});
        mark(dirty, &PerTask::dirty, index);
        --room;
        --budget;
        if (scope.move_cooldown > Duration{}) {
            resting[move->first] = scope.now + scope.move_cooldown;
            rests.emplace_back(scope.now + scope.move_cooldown, move->first);
        }
    }
    const bool may_begin = room > 0 && budget > 0 && copies.size() <= wanted.instances;
    if (may_begin && !any_rests && orders.size() == ordered_before) {
        revoke_moves(index);  // Each waits for another one's place, in a circle.
    }
}

}  // namespace muster::coordinator
