#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

// The half of PlannerState that knows what instances ask of nodes, and what they take of them.
namespace muster::coordinator {

namespace {

/// Nothing is asked for that some nodes may not give: such tasks alone are balanced exactly.
bool is_ruled(const PlacementRule& rule) {
    return !rule.constraints.empty() || rule.pool != default_pool ||
           rule.request != Resources{.slots = 1} || !rule.spread.empty() || !rule.group.empty() ||
           rule.every_node || rule.pinned;
}

}  // namespace

void PlannerState::classify(TaskIndex index) {
    PerTask& task = of(index);
    const PlacementRule& rule = workload[index].place;
    const ClassIndex before = task.asks;
    task.asks = candidates.take(rule);
    candidates.give_back(before);
    ruled_tasks += is_ruled(rule) ? 1U : 0U;
    ruled_tasks -= std::exchange(task.ruled, is_ruled(rule)) ? 1U : 0U;
    prior_tasks += rule.priority != 0 ? 1U : 0U;
    prior_tasks -= std::exchange(task.prior, rule.priority != 0) ? 1U : 0U;
}

void PlannerState::absorb_offers() {
    const bool counted_slots = reserved.counts_slots();
    for (const NodeIndex node : placements.take_offered()) {
        candidates.offer_changed(node);
        if (!placements.nodes().is_known(node)) {
            groups.forget(node);
        }
        reserved.set_offer(
            node, placements.nodes().is_known(node) ? placements.nodes().offer(node) : Offer{});
        may_be_evener = true;
        wakes_waiting = true;
        touch_all_on(node);
    }
    if (counted_slots == reserved.counts_slots()) {
        return;
    }
    // From now on the slots of all instances count.
    for (std::uint32_t index = 0; index < workload.bound(); ++index) {
        if (!workload.name(TaskIndex{index}).empty()) {
            mark(dirty, &PerTask::dirty, TaskIndex{index});
        }
    }
}

/// What runs there may suit the node no more.
void PlannerState::touch_all_on(NodeIndex node) {
    if (!placements.nodes().is_known(node)) {
        return;
    }
    for (const Placements::Instance& instance : placements.all_on(node)) {
        mark(dirty, &PerTask::dirty, instance.task);
    }
}

void PlannerState::restate_claims(TaskIndex index) {
    const Task& task = workload[index];
    const Resources request = task.wanted ? task.place.request : reserved.request_of(index);
    of(index).claims = reserved.tracks(index, request);
    if (!of(index).claims) {
        return;
    }
    std::vector<NodeIndex> nodes;
    nodes.reserve(reading.copies.size());
    for (const Copy& copy : reading.copies) {
        nodes.push_back(copy.node);
    }
    for (Ordinal ordinal = 0; ordinal < reading.slots.size(); ++ordinal) {
        const NodeIndex home = homes.of(index, ordinal);
        if (placements.nodes().is_counted(home) && !has_copy(index, ordinal, home) &&
            !is_to_move(index, ordinal)) {
            nodes.push_back(home);
        }
    }
    const std::uint64_t falls = reserved.falls();
    reserved.restate(index, request, std::move(nodes));
    may_be_evener = may_be_evener || reserved.falls() != falls;
}

/// What a task's copies say of its group, and where its instances are or are to be.
void PlannerState::restate_group(TaskIndex index) {
    const std::string& group = workload[index].place.group;
    if (group.empty() && !groups.tracks(index)) {
        return;
    }
    std::vector<NodeIndex> nodes;
    for (const Copy& copy : reading.copies) {
        const bool has_run = copy.started != CivilMs{} || copy.state == InstanceState::running;
        if (copy.reported && has_run && !group.empty()) {
            groups.ran(copy.node, group, copy.started);
        }
        const bool is_over =
            copy.reported && !copy.orders.starting &&
            (copy.state == InstanceState::exited || copy.state == InstanceState::failed);
        if (!is_over && !group.empty()) {
            nodes.push_back(copy.node);
        }
    }
    for (Ordinal ordinal = 0; ordinal < reading.slots.size() && !group.empty(); ++ordinal) {
        const NodeIndex home = homes.of(index, ordinal);
        if (placements.nodes().is_counted(home) && !has_copy(index, ordinal, home) &&
            !is_to_move(index, ordinal)) {
            nodes.push_back(home);
        }
    }
    groups.restate(index, std::move(nodes));
}

bool PlannerState::has_copy(TaskIndex index, Ordinal ordinal, NodeIndex node) const {
    return std::ranges::any_of(copies_of(placements.copies().of(index), ordinal),
                               [&](const Copy& copy) { return copy.node == node; });
}

void PlannerState::set_home(TaskIndex index, Ordinal ordinal, NodeIndex node) {
    ensure(!is_to_move(index, ordinal), "a home is set where no move is decided");
    const NodeIndex before = homes.of(index, ordinal);
    homes.set(index, ordinal, node);
    const bool has_group = groups.tracks(index) || !workload[index].place.group.empty();
    if (before == node || (!of(index).claims && !has_group)) {
        return;
    }
    const bool leaves = before != Homes::none && !has_copy(index, ordinal, before);
    const bool comes = placements.nodes().is_counted(node) && !has_copy(index, ordinal, node);
    if (of(index).claims && leaves) {
        reserved.unclaim(index, before);
    }
    if (of(index).claims && comes) {
        reserved.claim(index, node);
    }
    if (has_group && leaves) {
        groups.remove(index, before);
    }
    if (has_group && comes) {
        groups.add(index, node);
    }
}

void PlannerState::add_short_of_room(std::vector<TaskIndex>& due) {
    const std::uint64_t falls = homes.loads().falls() + reserved.falls();
    if (std::exchange(room_falls, falls) == falls || short_of_room.empty()) {
        return;
    }
    for (const TaskIndex task : take(short_of_room, &PerTask::short_of_room)) {
        refresh_homes(task);
        due.push_back(task);
    }
    // What waits for a copy that leaves gets its home again; that it had none meanwhile is no room.
    room_falls = homes.loads().falls() + reserved.falls();
    sort_due(due);
    due.erase(std::unique(due.begin(), due.end()), due.end());
}

void PlannerState::sort_due(std::vector<TaskIndex>& due) const {
    const auto before = [&](TaskIndex a, TaskIndex b) {
        const std::int32_t of_a = workload[a].place.priority;
        const std::int32_t of_b = workload[b].place.priority;
        return of_a != of_b ? of_a > of_b : workload.name(a) < workload.name(b);
    };
    std::ranges::sort(due, before);
}

const LabelValues& PlannerState::values_of(const std::string& key) {
    LabelValues& values = label_columns[key];
    if (values.offers != candidates.offers_end()) {
        values = label_values(placements, key);
        values.offers = candidates.offers_end();
    }
    return values;
}

bool PlannerState::is_uniform() const {
    return ruled_tasks == 0 && candidates.is_trivial(Candidates::plain);
}

}  // namespace muster::coordinator
