#include "coordinator/core/planning/pass/planner_state.hpp"

#include <algorithm>
#include <array>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

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
    std::vector<TaskIndex> changed = workload.take_touched();
    for (const TaskIndex task : changed) {
        classify(task);
    }
    for (const auto& touched : {std::move(changed), placements.take_touched()}) {
        for (const TaskIndex task : touched) {
            mark(dirty, &PerTask::dirty, task);
            mark(stale, &PerTask::stale, task);
        }
    }
}

/// Takes in which nodes there are, and which of them serve.
void PlannerState::absorb_nodes() {
    Loads& loads = homes.loads();
    if (names_version != placements.nodes().names_version()) {
        names_version = placements.nodes().names_version();
        loads.set_nodes(placements.nodes().by_name());
        candidates.ranks_changed();
    }
    absorb_offers();
    const std::vector<NodeIndex> flipped = placements.take_flipped();
    if (flipped.empty() && !wakes_waiting) {
        return;
    }
    wakes_waiting = false;
    for (const NodeIndex node : flipped) {
        loads.set_serving(
            node, placements.nodes().is_counted(node) && placements.nodes().is_serving(node));
    }
    for (auto move = moves.begin(); move != moves.end();) {
        const bool holds = loads.is_serving(move->second) &&
                           candidates.admits(of(move->first.first).asks, move->second);
        move = holds ? std::next(move) : revoke(move);
    }
    may_be_evener = true;
    for (const TaskIndex task : take(waiting, &PerTask::waiting)) {
        mark(dirty, &PerTask::dirty, task);
    }
}

std::vector<TaskIndex> PlannerState::take_due(const Scope& scope) {
    absorb();
    absorb_nodes();
    while (!wakes.empty() && wakes.begin()->first <= scope.now) {
        mark(dirty, &PerTask::dirty, wakes.begin()->second);
        wakes.erase(wakes.begin());
    }
    if (!scope.held_back && !parked.empty()) {
        for (const TaskIndex task : take(parked, &PerTask::parked)) {
            mark(dirty, &PerTask::dirty, task);
        }
    }
    if (!scope.frozen && !frozen.empty()) {
        for (const TaskIndex task : take(frozen, &PerTask::frozen)) {
            mark(dirty, &PerTask::dirty, task);
        }
    }
    if (dirty.empty()) {
        return {};
    }
    const auto count_that_fit = [&](const std::vector<TaskIndex>& list) {
        std::size_t looked_at = 0;
        const auto fit = std::ranges::find_if(list, [&](TaskIndex task) {
            return looked_at >= scope.most || (looked_at += 1 + workload[task].ordinals(), false);
        });
        return fit - list.begin();
    };
    // Without priorities any come first, so that what is left need not be sorted each time.
    std::vector<TaskIndex> later;
    if (prior_tasks == 0) {
        later.assign(dirty.begin() + count_that_fit(dirty), dirty.end());
        dirty.resize(dirty.size() - later.size());
    }
    std::vector<TaskIndex> due = take(dirty, &PerTask::dirty);
    dirty = std::move(later);
    if (prior_tasks > 0) {
        sort_due(due);
        const auto fit = count_that_fit(due);
        for (auto rest = due.begin() + fit; rest != due.end(); ++rest) {
            mark(dirty, &PerTask::dirty, *rest);
        }
        due.erase(due.begin() + fit, due.end());
    }
    return due;
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
    for (auto at = first_deferred; at != last_deferred; ++at) {
        if (at->second != Homes::none && at->first.second < instances) {
            homes.set(index, at->first.second, at->second);
        }
    }
    deferred.erase(first_deferred, last_deferred);
    std::uint32_t may_move = 0;
    for (Ordinal ordinal = 0; ordinal < instances; ++ordinal) {
        const Slot& slot = reading.slots[ordinal];
        if (slot.stay == nullptr) {
            // Where it was lost is remembered until it is placed anew: that is the cause.
            if (placements.nodes().is_counted(homes.of(index, ordinal))) {
                homes.set(index, ordinal, Homes::none);
            }
            continue;
        }
        if (slot.stay->orders.moving && slot.last - slot.first == 1) {
            placements.arrived(index, ordinal, slot.stay->node);
        }
        const bool is_decided = task.decided > 0 && moves.contains({index, ordinal});
        if (!is_decided) {
            homes.set(index, ordinal, slot.stay->node);
        }
        may_move += is_movable(workload[index], *slot.stay) ? 1U : 0U;
        if (!out_of_sight.empty()) {
            out_of_sight.erase({index, ordinal});
        }
    }
    may_be_evener = may_be_evener || may_move > task.movable;
    task.movable = may_move;
    restate_claims(index);
    restate_group(index);
}

void PlannerState::unblock(TaskIndex index) {
    const auto first = blocked.lower_bound({index, 0});
    blocked.erase(first, blocked.upper_bound({index, ~Ordinal{0}}));
}

InstanceView PlannerState::view_of_missing(TaskIndex index, Ordinal ordinal) {
    InstanceView view;
    view.id = {workload.name(index), ordinal};
    view.state = "unplaced";
    view.generation = workload[index].generation;
    view.detail = why_missing(index, ordinal);
    const NodeIndex home = homes.of(index, ordinal);
    if (home != Homes::none && placements.nodes().is_known(home) &&
        !placements.nodes().is_counted(home)) {
        view.state = "unknown";  // Contact was lost: nobody can tell what became of it.
        view.node = placements.nodes().name(home);
    } else if (const Trouble* trouble = troubles.find({index, ordinal});
               trouble != nullptr && !trouble->refusals.empty()) {
        view.detail = "refused " + std::to_string(trouble->refused()) + " times, last " +
                      trouble->last_refusal;
    } else if (view.detail == recovering_code) {
        view.state = "unseen";
    }
    return view;
}

std::span<const Shortage> PlannerState::shortages_of(TaskIndex index) {
    // What is missing counts, and no more.
    static constexpr std::array unseen{Shortage{recovering_code, ~0U}};
    if (held_back && workload[index].created <= *held_back) {
        return unseen;
    }
    return of(index).status.shortages;
}

// Which of the task's shortages is this instance's follows from where it was.
std::string_view PlannerState::why_missing(TaskIndex index, Ordinal ordinal) {
    if (deferred.contains({index, ordinal})) {
        return {};
    }
    const NodeIndex home = homes.of(index, ordinal);
    const bool was_lost = home != Homes::none && !placements.nodes().is_counted(home);
    const std::span<const Shortage> shortages = shortages_of(index);
    const auto is_its = [&](const Shortage& one) {
        return was_lost ==
               (one.code == frozen_code || one.code == awaited_code || one.code == lease_code);
    };
    const auto found = std::ranges::find_if(shortages, is_its);
    if (found != shortages.end()) {
        return found->code;
    }
    return shortages.empty() ? std::string_view{} : shortages.front().code;
}

// ---- totals ----

void PlannerState::record(TaskIndex index, std::span<const Shortage> shortages) {
    PerTask& task = of(index);
    const bool was_unplaced = task.known && task.status.phase == TaskPhase::unplaced;
    if (task.known) {
        add_to_totals(task, ~std::uint64_t{0});
    }
    task.stale = false;
    const std::uint32_t strays_before = task.status.strays;
    task.status = summarise(workload, placements, index, reading, shortages);
    may_be_evener = may_be_evener || task.status.strays < strays_before;  // It may be moved now.
    if (task.status.phase == TaskPhase::unplaced && !was_unplaced) {
        mark(unplaced, &PerTask::unplaced, index);
    }
    task.known = true;
    add_to_totals(task, 1);
    if (task.status.shortage().count > 0) {
        short_tasks.insert(index);
    } else if (!short_tasks.empty()) {
        short_tasks.erase(index);
    }
}

/// Takes away when `sign` is -1.
void PlannerState::add_to_totals(const PerTask& task, std::uint64_t sign) {
    const TaskStatus& status = task.status;
    totals.wanted += sign * status.wanted;
    totals.running += sign * status.running;
    totals.starting += sign * status.starting;
    totals.backoff += sign * status.backoff;
    totals.exited += sign * status.exited;
    totals.failed += sign * status.failed;
    totals.rolling += sign * status.rolling;
    totals.stopping += sign * status.stopping;
    totals.strays += sign * status.strays;
    totals.unsettled += sign * (status.phase == TaskPhase::converged ? 0U : 1U);
    totals.moves += sign * status.moving;
    for (const Shortage& shortage : status.shortages) {
        totals.unplaced +=
            status.phase == TaskPhase::unplaced ? sign * shortage.count : std::uint64_t{0};
        add_shortage(shortage, sign == 1);
    }
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
        record(task, shortages_of(task));
    }
}

void PlannerState::finish(TaskIndex index) {
    PerTask& task = of(index);
    if (std::exchange(task.ordered, false)) {
        mark(dirty, &PerTask::dirty, index);
    }
    if (workload[index].wanted || !placements.copies().is_unused(index)) {
        return;
    }
    if (std::exchange(task.known, false)) {
        add_to_totals(task, ~std::uint64_t{0});
    }
    ensure(task.decided == 0, "an instance that is not wanted is not moved");
    out_of_sight.erase(out_of_sight.lower_bound({index, 0}),
                       out_of_sight.upper_bound({index, ~Ordinal{0}}));
    resting.erase(resting.lower_bound({index, 0}), resting.upper_bound({index, ~Ordinal{0}}));
    task.status = {};
    short_tasks.erase(index);
    task.movable = 0;
    reserved.forget(index);
    groups.restate(index, {});
    workload.release(index);
}

}  // namespace muster::coordinator
