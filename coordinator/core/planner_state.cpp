#include "coordinator/core/planner_state.hpp"

#include <algorithm>

#include "common/ensure.hpp"

namespace muster {

PlannerState::PerTask& PlannerState::of(TaskIndex task) {
    if (raw(task) >= tasks.size()) {
        tasks.resize(std::max(workload.bound(), std::size_t{raw(task)} + 1));
    }
    return tasks[raw(task)];
}

void PlannerState::mark(std::vector<TaskIndex>& list, Flag flag, TaskIndex task) {
    if (!std::exchange(of(task).*flag, true)) {
        list.push_back(task);
    }
}

std::vector<TaskIndex> PlannerState::take(std::vector<TaskIndex>& list, Flag flag) {
    std::vector<TaskIndex> taken = std::exchange(list, {});
    for (const TaskIndex task : taken) {
        of(task).*flag = false;
    }
    std::erase_if(taken, [&](TaskIndex task) { return workload.name(task).empty(); });
    std::ranges::sort(
        taken, [&](TaskIndex a, TaskIndex b) { return workload.name(a) < workload.name(b); });
    return taken;
}

void PlannerState::absorb() {
    for (const auto& touched : {workload.take_touched(), placements.take_touched()}) {
        for (const TaskIndex task : touched) {
            mark(dirty, &PerTask::dirty, task);
            mark(stale, &PerTask::stale, task);
        }
    }
}

std::vector<TaskIndex> PlannerState::take_due(const Scope& scope) {
    absorb();
    if (serving_version != placements.serving_version()) {
        serving_version = placements.serving_version();
        homes.loads().set_serving(placements.serving());
        for (auto move = moves.begin(); move != moves.end();) {
            move = homes.loads().is_serving(move->second) ? std::next(move) : revoke(move);
        }
        is_balance_due = true;
        for (const TaskIndex task : take(waiting, &PerTask::waiting)) {
            mark(dirty, &PerTask::dirty, task);
        }
    }
    if (!scope.held_back && !parked.empty()) {
        for (const TaskIndex task : take(parked, &PerTask::parked)) {
            mark(dirty, &PerTask::dirty, task);
        }
    }
    return dirty.empty() ? std::vector<TaskIndex>{} : take(dirty, &PerTask::dirty);
}

void PlannerState::refresh_homes(TaskIndex index) {
    PerTask& task = of(index);
    read(workload, placements, index, reading);
    const auto instances = static_cast<Ordinal>(reading.slots.size());
    homes.resize(index, instances);
    if (task.decided > 0) {
        revoke_void_moves(index);
        mark(movers, &PerTask::mover, index);
    }
    const auto first_deferred = deferred.lower_bound({index, 0});
    const auto last_deferred = deferred.upper_bound({index, ~Ordinal{0}});
    deferred.erase(first_deferred, last_deferred);
    for (Ordinal ordinal = 0; ordinal < instances; ++ordinal) {
        const Slot& slot = reading.slots[ordinal];
        if (slot.stay == nullptr) {
            // Where it was lost is remembered until it is placed anew: that is the cause.
            if (placements.is_counted(homes.of(index, ordinal))) {
                homes.set(index, ordinal, Homes::none);
            }
            continue;
        }
        if (slot.stay->moving && slot.last - slot.first == 1) {
            placements.arrived(index, ordinal, slot.stay->node);
        }
        const bool is_decided = task.decided > 0 && moves.contains({index, ordinal});
        if (!is_decided) {
            homes.set(index, ordinal, slot.stay->node);
        }
    }
}

// ---- totals ----

void PlannerState::record(TaskIndex index, const Shortage& shortage) {
    PerTask& task = of(index);
    if (task.known) {
        add_to_totals(task, ~std::uint64_t{0});
    }
    task.stale = false;
    task.status = summarise(workload, placements, index, reading, shortage);
    task.known = true;
    add_to_totals(task, 1);
}

/// Takes away when `sign` is -1.
void PlannerState::add_to_totals(const PerTask& task, std::uint64_t sign) {
    const TaskStatus& status = task.status;
    totals.running += sign * status.running;
    totals.starting += sign * status.starting;
    totals.backoff += sign * status.backoff;
    totals.exited += sign * status.exited;
    totals.failed += sign * status.failed;
    totals.rolling += sign * status.rolling;
    totals.stopping += sign * status.stopping;
    totals.strays += sign * status.strays;
    totals.unplaced += sign * (status.phase == TaskPhase::unplaced ? status.shortage.count : 0U);
    totals.unsettled += sign * (status.phase == TaskPhase::converged ? 0U : 1U);
    totals.moves += sign * status.moving;
    add_shortage(status.shortage, sign == 1);
}

void PlannerState::add_shortage(const Shortage& shortage, bool adds) {
    if (shortage.count == 0) {
        return;
    }
    auto at = std::ranges::find(totals.shortages, shortage.code, &Shortage::code);
    if (at == totals.shortages.end()) {
        ensure(adds, "a shortage is taken away only after it was added");
        totals.shortages.push_back({shortage.code, 0});
        std::ranges::sort(totals.shortages, {}, &Shortage::code);
        at = std::ranges::find(totals.shortages, shortage.code, &Shortage::code);
    }
    at->count = adds ? at->count + shortage.count : at->count - shortage.count;
    if (at->count == 0) {
        totals.shortages.erase(at);
    }
}

void PlannerState::record_stale() {
    for (const TaskIndex task : take(stale, &PerTask::stale)) {
        read(workload, placements, task, reading);
        revoke_void_moves(task);
        record(task, of(task).status.shortage);
    }
}

void PlannerState::finish(TaskIndex index) {
    PerTask& task = of(index);
    if (std::exchange(task.ordered, false)) {
        mark(dirty, &PerTask::dirty, index);
    }
    if (workload[index].wanted || !placements.is_unused(index)) {
        return;
    }
    if (std::exchange(task.known, false)) {
        add_to_totals(task, ~std::uint64_t{0});
    }
    ensure(task.decided == 0, "an instance that is not wanted is not moved");
    task.status = {};
    workload.release(index);
}

// ---- moves ----

void PlannerState::decide(TaskIndex task, Ordinal ordinal, NodeIndex target) {
    ensure(moves.emplace(std::pair{task, ordinal}, target).second,
           "an instance is moved once in a round");
    of(task).decided += 1;
    homes.set(task, ordinal, target);
    mark(movers, &PerTask::mover, task);
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
        other != deferred.end() && other->first == index) {
        mark(dirty, &PerTask::dirty, index);  // It may have counted on the place.
    }
    is_balance_due = true;
    return moves.erase(move);
}

void PlannerState::revoke_void_moves(TaskIndex index) {
    auto move = moves.lower_bound({index, 0});
    while (move != moves.end() && move->first.first == index) {
        const bool holds =
            movable(index, move->first.second) != nullptr && homes.loads().is_serving(move->second);
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

void PlannerState::revoke_moves() {
    for (auto move = moves.begin(); move != moves.end();) {
        move = revoke(move);
    }
}

const Copy* PlannerState::movable(TaskIndex index, Ordinal ordinal) const {
    const Task& task = workload[index];
    const Copy* stay =
        ordinal < task.instances ? find_stay(workload, placements, index, ordinal) : nullptr;
    const bool runs = stay != nullptr && stay->reported && stay->state == InstanceState::running &&
                      stay->generation == task.generation && !stay->starting && !stay->moving;
    // What is to run to its end loses its work by a move: a stop, and a new beginning elsewhere.
    const bool may = task.spec.restart == RestartPolicy::always && task.spec.update.max_surge > 0;
    return may && runs && placements.is_serving(stay->node) ? stay : nullptr;
}

void PlannerState::carry_out_moves(std::uint32_t budget, std::vector<Order>& orders) {
    if (movers.empty()) {
        return;
    }
    for (const TaskIndex task : take(movers, &PerTask::mover)) {
        carry_out_moves(task, budget, orders);
    }
}

void PlannerState::carry_out_moves(TaskIndex index, std::uint32_t& budget,
                                   std::vector<Order>& orders) {
    PerTask& task = of(index);
    if (task.decided == 0) {
        return;
    }
    if (task.ordered || budget == 0) {
        mark(movers, &PerTask::mover, index);  // What is urgent comes first.
        return;
    }
    revoke_crowded_moves(index);
    const Task& wanted = workload[index];
    const std::span<const Copy> copies = placements.copies(index);
    occupancy.clear();
    for (const Copy& copy : copies) {
        occupancy.add(copy.node);
    }
    const std::size_t most = std::size_t{wanted.instances} + wanted.spec.update.max_surge;
    std::size_t room = most - std::min(most, copies.size());
    for (auto move = moves.lower_bound({index, 0});
         move != moves.end() && move->first.first == index && room > 0 && budget > 0; ++move) {
        const Ordinal ordinal = move->first.second;
        const bool has_double = copies_of(copies, ordinal).size() > 1;
        if (has_double || occupancy.of(move->second) >= wanted.spec.max_per_node) {
            continue;  // A copy that leaves must be gone first.
        }
        occupancy.add(move->second);
        orders.push_back({Order::Action::start, Cause::balance, index, ordinal, move->second,
                          wanted.generation});
        mark(dirty, &PerTask::dirty, index);
        --room;
        --budget;
    }
}

}  // namespace muster
