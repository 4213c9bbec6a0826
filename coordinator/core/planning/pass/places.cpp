#include "coordinator/core/planning/pass/places.hpp"

#include <string>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

void Places::on_serving_changed(NodeIndex node) {
    homes_.loads().set_serving(
        node, placements_.nodes().is_counted(node) && placements_.nodes().is_serving(node));
}

void Places::on_offer_changed(NodeIndex node) {
    const bool is_known = placements_.nodes().is_known(node);
    if (!is_known) {
        groups_.forget(node);
    }
    ledger_.set_offer(node, is_known ? placements_.nodes().offer(node) : Offer{});
}

// ---- a task that is read ----

bool Places::set_claims(TaskIndex index, const Reading& reading) {
    restate_group(index, reading);
    return restate_claims(index, reading);
}

bool Places::restate_claims(TaskIndex index, const Reading& reading) {
    const Task& task = workload_[index];
    const Resources request = task.wanted ? task.place.request : ledger_.request_of(index);
    at(index).claims = ledger_.tracks(index, request);
    if (!at(index).claims) {
        return false;
    }
    std::vector<NodeIndex> nodes;
    nodes.reserve(reading.copies.size());
    for (const Copy& copy : reading.copies) {
        nodes.push_back(copy.node);
    }
    add_homes(index, reading, nodes);
    const std::uint64_t falls = ledger_.falls();
    ledger_.set_claims(index, request, std::move(nodes));
    return ledger_.falls() != falls;
}

/// Updates the groups from a task's copies and homes.
void Places::restate_group(TaskIndex index, const Reading& reading) {
    const std::string& group = workload_[index].place.group;
    if (group.empty()) {
        if (groups_.tracks(index)) {
            groups_.set_claims(index, {});
        }
        return;
    }
    std::vector<NodeIndex> nodes;
    for (const Copy& copy : reading.copies) {
        const bool has_run = copy.started != CivilMs{} || copy.state == InstanceState::running;
        if (copy.reported && has_run) {
            groups_.ran(copy.node, group, copy.started);
        }
        const bool is_over =
            copy.reported && !copy.orders.starting &&
            (copy.state == InstanceState::exited || copy.state == InstanceState::failed);
        if (!is_over) {
            nodes.push_back(copy.node);
        }
    }
    add_homes(index, reading, nodes);
    groups_.set_claims(index, std::move(nodes));
}

/// Adds homes that have no copy yet.
void Places::add_homes(TaskIndex index, const Reading& reading,
                       std::vector<NodeIndex>& nodes) const {
    for (Ordinal ordinal = 0; ordinal < reading.slots.size(); ++ordinal) {
        const NodeIndex node = home(index, ordinal);
        if (placements_.nodes().is_counted(node) && !has_copy(placements_, index, ordinal, node) &&
            !is_to_move(index, ordinal)) {
            nodes.push_back(node);
        }
    }
}

void Places::forget(TaskIndex index) {
    ensure(!is_any_to_move(index), "an instance that is not wanted is not moved");
    ledger_.forget(index);
    groups_.set_claims(index, {});
}

// ---- while a pass decides ----

void Places::set_home(TaskIndex index, Ordinal ordinal, NodeIndex node) {
    ensure(!is_to_move(index, ordinal), "a home is set where no move is decided");
    const NodeIndex before = homes_.set(index, ordinal, node);
    if (before == node || (!at(index).claims && workload_[index].place.group.empty())) {
        return;
    }
    if (before != Homes::none && !has_copy(placements_, index, ordinal, before)) {
        give_up_place(index, before);
    }
    if (placements_.nodes().is_counted(node) && !has_copy(placements_, index, ordinal, node)) {
        take_place(index, node);
    }
}

void Places::count_homes(TaskIndex index, std::uint32_t instances, Tally<NodeIndex>& into) const {
    into.clear();
    for (Ordinal ordinal = 0; ordinal < instances; ++ordinal) {
        if (const NodeIndex node = home(index, ordinal); node != Homes::none) {
            into.add(node);
        }
    }
}

void Places::take_place(TaskIndex index, NodeIndex target) {
    if (at(index).claims) {
        ledger_.claim(index, target);
    }
    if (!workload_[index].place.group.empty()) {
        groups_.add(index, target);
    }
}

void Places::give_up_place(TaskIndex index, NodeIndex target) {
    if (at(index).claims) {
        ledger_.unclaim(index, target);
    }
    if (!workload_[index].place.group.empty()) {
        groups_.remove(index, target);
    }
}

// ---- moves ----

void Places::decide(TaskIndex index, Ordinal ordinal, NodeIndex target) {
    ensure(moves_.emplace(std::pair{index, ordinal}, target).second,
           "an instance is moved once in a pass");
    at(index).moves += 1;
    homes_.set(index, ordinal, target);
}

Places::Decided::const_iterator Places::drop(Decided::const_iterator move,
                                             std::optional<NodeIndex> stays_on) {
    const auto [index, ordinal] = move->first;
    ensure(at(index).moves > 0, "each decided move is counted at its task");
    at(index).moves -= 1;
    if (stays_on) {
        homes_.set(index, ordinal, *stays_on);
    }
    return moves_.erase(move);
}

bool Places::take_room_growth() {
    const std::uint64_t falls = loads().falls() + ledger_.falls();
    return std::exchange(falls_seen_, falls) != falls;
}

}  // namespace muster::coordinator
