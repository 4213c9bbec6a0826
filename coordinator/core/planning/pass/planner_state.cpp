#include "coordinator/core/planning/pass/planner_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "coordinator/core/workload/views.hpp"

namespace muster::coordinator {

PlannerState::PlannerState(Workload& workload_of, Placements& placements_of,
                           std::optional<Generation> held_back)
    : workload{workload_of},
      placements{placements_of},
      places{workload, placements},
      requirements{workload, placements, places},
      due{workload},
      statuses{workload, placements, held_back},
      moves{workload, placements, places, requirements, due, statuses, notes.deferred},
      is_held_back{held_back.has_value()} {}

void PlannerState::apply_changes() {
    const std::vector<TaskIndex> changed = workload.take_touched();
    for (const TaskIndex task : changed) {
        requirements.classify(task);
    }
    for (const auto& touched : {changed, placements.take_touched()}) {
        for (const TaskIndex task : touched) {
            due.add(task);
            statuses.on_touched(task);
        }
    }
}

void PlannerState::apply_node_changes() {
    if (names_version != placements.nodes().names_version()) {
        names_version = placements.nodes().names_version();
        places.on_names_changed();
        requirements.candidates().ranks_changed();
    }
    const bool has_offers = apply_offer_changes();
    const std::vector<NodeIndex> flipped = placements.take_flipped();
    if (flipped.empty() && !has_offers) {
        return;
    }
    for (const NodeIndex node : flipped) {
        places.on_serving_changed(node);
    }
    moves.revoke_unsuited();
    moves.note_balance_change();
    due.on_nodes_changed();
}

bool PlannerState::apply_offer_changes() {
    const bool counted_slots = places.ledger().counts_slots();
    const std::vector<NodeIndex> offered = placements.take_offered();
    for (const NodeIndex node : offered) {
        requirements.candidates().offer_changed(node);
        places.on_offer_changed(node);
        if (placements.nodes().is_known(node)) {
            for (const Placements::Instance& instance : placements.all_on(node)) {
                due.add(instance.task);  // The node may no longer suit the instances on it.
            }
        }
    }
    if (counted_slots != places.ledger().counts_slots()) {
        // From now on the slots of all instances count.
        for (std::uint32_t index = 0; index < workload.bound(); ++index) {
            if (!workload.name(TaskIndex{index}).empty()) {
                due.add(TaskIndex{index});
            }
        }
    }
    return !offered.empty();
}

bool PlannerState::counts_homes(const Scope& scope) {
    if (std::exchange(is_held_back, scope.held_back.has_value()) && !is_held_back) {
        const auto all = due.all_after_recovery();
        if (due.count_that_fit(all, scope.most) < all.size()) {
            std::ranges::for_each(all, [&](TaskIndex task) { uncounted.add(task); });
        }
    }
    const auto fit = due.count_that_fit(uncounted.all(), scope.most);
    for (const TaskIndex task : uncounted.take(workload, fit)) {
        static_cast<void>(refresh_homes(task));
    }
    return fit > 0;
}

std::uint32_t PlannerState::refresh_homes(TaskIndex index) {
    Reading& reading = scratch.reading;
    read(workload, placements, index, reading);
    const auto ordinals = static_cast<Ordinal>(reading.slots.size());
    places.resize(index, ordinals);
    const bool rolls_out = is_rolling_out(reading, workload[index].generation);
    if (rolls_out) {
        moves.forget(index);  // A roll-out replaces copies anyway; a move would only add a start.
    }
    if (places.is_any_to_move(index)) {
        moves.revoke_void(index);
        moves.turns().add(index);
    }
    for (auto [at, end] = of_task(notes.deferred, index); at != end; ++at) {
        if (at->second != Homes::none && at->first.second < ordinals) {
            places.assume_home(index, at->first.second, at->second);
        }
    }
    erase_task(notes.deferred, index);
    const std::span<const NodeIndex> homes = places.homes().of(index);
    std::uint32_t movable = 0;
    std::uint32_t missing = 0;
    for (Ordinal ordinal = 0; ordinal < ordinals; ++ordinal) {
        const Slot& slot = reading.slots[ordinal];
        if (slot.kept == nullptr) {
            missing += slot.is_over ? 0U : 1U;
            // The lost node is kept until the instance is placed again, because it is the cause.
            if (homes[ordinal] != Homes::none && placements.nodes().is_counted(homes[ordinal])) {
                places.assume_home(index, ordinal, Homes::none);
            }
            continue;
        }
        if (slot.kept->orders.moving && slot.last - slot.first == 1) {
            placements.arrived(index, ordinal, slot.kept->node);
        }
        if (!places.is_to_move(index, ordinal)) {
            places.assume_home(index, ordinal, slot.kept->node);
        }
        movable += moves.is_movable(workload[index], *slot.kept) ? 1U : 0U;
        if (!notes.on_lost_nodes.empty()) {
            notes.on_lost_nodes.erase({index, ordinal});
        }
    }
    moves.on_read(index, rolls_out ? 0 : movable);
    if (places.set_claims(index, reading)) {
        moves.note_balance_change();
    }
    return missing;
}

void PlannerState::add_short_of_room(std::vector<TaskIndex>& tasks) {
    if (!places.take_room_growth() || !due.is_any_short_of_room()) {
        return;
    }
    for (const TaskIndex task : due.take_short_of_room()) {
        refresh_homes(task);
        tasks.push_back(task);
    }
    // Deferred instances got their home again. That they had none meanwhile does not count as more
    // room.
    static_cast<void>(places.take_room_growth());
    due.sort(tasks);
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
}

void PlannerState::record(TaskIndex index, std::span<const Shortage> shortages) {
    const auto unproven = failures.unproven(index, workload[index], scratch.reading);
    if (statuses.record(index, scratch.reading, shortages, unproven)) {
        moves.note_balance_change();  // Instances that a stray kept from moving may move now.
    }
}

void PlannerState::record_stale() {
    for (const TaskIndex task : statuses.take_stale()) {
        read(workload, placements, task, scratch.reading);
        moves.revoke_void(task);
        record(task, statuses.shortages_of(task));
    }
}

void PlannerState::release_if_over(TaskIndex index) {
    if (workload[index].wanted || !placements.copies().is_unused(index)) {
        return;
    }
    places.forget(index);
    statuses.forget(index);
    moves.forget(index);
    move_queue.forget(index);
    erase_task(notes.on_lost_nodes, index);
    workload.release(index);
}

// Finds the shortage of this instance by whether its node was lost.
Obstacle PlannerState::why_missing(TaskIndex index, Ordinal ordinal) const {
    if (workload[index].has_ended_well(ordinal)) {
        return Obstacle::none;
    }
    if (notes.deferred.contains({index, ordinal})) {
        return Obstacle::none;
    }
    const NodeIndex home = places.home(index, ordinal);
    const bool was_lost = home != Homes::none && !placements.nodes().is_counted(home);
    const std::span<const Shortage> shortages = statuses.shortages_of(index);
    const auto found = std::ranges::find_if(shortages, [&](const Shortage& one) {
        return was_lost == (one.code == Obstacle::frozen || one.code == Obstacle::rescheduling ||
                            one.code == Obstacle::lease);
    });
    if (found != shortages.end()) {
        return found->code;
    }
    return shortages.empty() ? Obstacle::none : shortages.front().code;
}

std::string PlannerState::refusals_of(TaskIndex index, Ordinal ordinal) const {
    const FailureRecord* const failed = failures.find({index, ordinal});
    return failed == nullptr || failed->refusals.empty()
               ? ""
               : "refused " + std::to_string(failed->refused()) + " times, last " +
                     failed->last_refusal;
}

InstanceView PlannerState::view_of_copy(TaskIndex index, const Copy& copy) const {
    InstanceView view = view_of(workload, placements, index, copy);
    const std::string refusals = refusals_of(index, copy.ordinal);
    if (is_outdated(copy, workload[index].generation) && !refusals.empty()) {
        view.detail = "its replacement was " + refusals;
    }
    return view;
}

InstanceView PlannerState::view_of_missing(TaskIndex index, Ordinal ordinal) const {
    InstanceView view;
    view.id = {workload.name(index), ordinal};
    view.state = "unplaced";
    view.generation = workload[index].generation;
    if (workload[index].has_ended_well(ordinal)) {
        view.state = to_string(InstanceState::exited);
        view.exit_code = 0;
        view.detail = "it ended well in this generation, and is not run again";
        return view;
    }
    const Obstacle why = why_missing(index, ordinal);
    view.detail = to_string(why);
    const NodeIndex home = places.home(index, ordinal);
    if (home != Homes::none && placements.nodes().is_known(home) &&
        !placements.nodes().is_counted(home)) {
        view.state = "unknown";  // Its node is lost, so its state is not known.
        view.node = placements.nodes().name(home);
    } else if (std::string refusals = refusals_of(index, ordinal); !refusals.empty()) {
        view.detail = std::move(refusals);
    } else if (why == Obstacle::recovering) {
        view.state = "unseen";
    }
    return view;
}

}  // namespace muster::coordinator
