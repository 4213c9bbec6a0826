#include <algorithm>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "coordinator/core/workload/placements.hpp"

// The part of Placements that knows what is in flight.
namespace muster::coordinator {

void Placements::launched(const Order& order, Sequence sequence) {
    Node& node = at(order.node);
    ensure(node.counted && node.commandable, "orders go to commandable nodes that count");
    ensure(node.in_flight.empty() || node.in_flight.back().sequence <= sequence,
           "sequences of a node do not decrease");
    node.in_flight.push_back(
        {sequence, order.generation, order.task, order.ordinal, order.action, false});
    ++in_flight_;
    Copy* copy = find(entry(order.task), order.ordinal, order.node);
    touch(order.task);
    if (order.action == Order::Action::stop) {
        ensure(copy != nullptr, "only a copy that is there is stopped");
        copy->stopping = true;
        return;
    }
    if (copy == nullptr) {
        copy = &insert(order.task, order.ordinal, order.node);
        copy->generation = order.generation;
        copy->moving = is_move(order.cause);
    } else {
        copy->replacing = true;
        set_origin(order.node, order.task, *copy, Origin::ordered);
        copy->taken_down = copy->taken_down || copy->state == InstanceState::running;
    }
    copy->starting = true;
}

void Placements::settle(NodeIndex index, Sequence issued) {
    std::vector<InFlight>& in_flight = at(index).in_flight;
    const auto settled = std::ranges::find_if(
        in_flight, [&](const InFlight& order) { return order.sequence > issued; });
    if (settled == in_flight.begin()) {
        return;
    }
    const std::vector<InFlight> closed(in_flight.begin(), settled);
    in_flight.erase(in_flight.begin(), settled);
    if (in_flight.empty()) {
        in_flight.shrink_to_fit();
    }
    in_flight_ -= closed.size();
    (issued == everything ? outcomes_.unanswered : outcomes_.answered) += closed.size();
    for (const InFlight& order : closed) {
        close(index, order);
    }
}

void Placements::obeyed(NodeIndex index, Sequence sequence) {
    for (InFlight& order : at(index).in_flight) {
        order.obeyed = order.obeyed || order.sequence == sequence;
    }
}

std::vector<Vanished> Placements::obeyed_in_vain(NodeIndex index, Sequence issued,
                                                 Sequence obeyed) const {
    std::vector<Vanished> found;
    const std::vector<InFlight>& in_flight = at(index).in_flight;
    for (const InFlight& order : in_flight) {
        const bool is_obeyed = order.obeyed || order.sequence == obeyed;
        if (order.action != Order::Action::start || order.sequence > issued || !is_obeyed) {
            continue;
        }
        const Copy* const copy = find(order.task, order.ordinal, index);
        const Vanished one{order.task, order.ordinal, order.generation};
        if (!is_followed(index, order) && copy != nullptr && !copy->reported &&
            std::ranges::find(found, one) == found.end()) {
            found.push_back(one);
        }
    }
    return found;
}

std::optional<Vanished> Placements::disown(NodeIndex index, Sequence issued, Sequence obeyed) {
    std::optional<Vanished> first;
    for (const InFlight& order : at(index).in_flight) {
        const bool is_obeyed = order.obeyed || order.sequence == obeyed;
        if (order.action != Order::Action::stop || order.sequence > issued || !is_obeyed) {
            continue;
        }
        Copy* const copy = find(entry(order.task), order.ordinal, index);
        if (copy != nullptr && copy->reported && copy->generation == order.generation &&
            copy->state != InstanceState::stopping && copy->origin != Origin::claimed &&
            !is_followed(index, order)) {
            set_origin(index, order.task, *copy, Origin::claimed);
            first = first.value_or(Vanished{order.task, order.ordinal, order.generation});
        }
    }
    return first;
}

bool Placements::is_followed(NodeIndex index, const InFlight& order) const {
    return std::ranges::any_of(at(index).in_flight, [&](const InFlight& other) {
        return other.action != order.action && other.task == order.task &&
               other.ordinal == order.ordinal && other.sequence >= order.sequence;
    });
}

void Placements::set_origin(NodeIndex index, TaskIndex task, Copy& copy, Origin origin) {
    touch(task);
    copy.origin = origin;
    if (copy.reported) {
        Node& node = at(index);
        const InstanceId id{std::string{workload_.name(task)}, copy.ordinal};
        node.held.at(position_of(node, id)).origin = origin;
    }
}

bool Placements::refused(NodeIndex index, const InstanceId& id, Generation generation,
                         Sequence obeyed) {
    std::vector<InFlight>& in_flight = at(index).in_flight;
    const auto found = find_ordered(index, id, generation);
    if (found == in_flight.end() || found->sequence > obeyed) {
        return false;
    }
    const InFlight order = *found;
    in_flight.erase(found);
    --in_flight_;
    ++outcomes_.refused;
    close(index, order);
    return order.action == Order::Action::start;
}

bool Placements::is_ordered(NodeIndex index, const InstanceId& id, Generation generation) const {
    return find_ordered(index, id, generation) != at(index).in_flight.end();
}

std::vector<Placements::InFlight>::const_iterator Placements::find_ordered(
    NodeIndex index, const InstanceId& id, Generation generation) const {
    const std::vector<InFlight>& in_flight = at(index).in_flight;
    const auto task = workload_.find(id.task);
    return std::ranges::find_if(in_flight, [&](const InFlight& order) {
        return order.task == task && order.ordinal == id.ordinal && order.generation == generation;
    });
}

/// The order is not in flight any more: what was reported is true, but for later orders of the same
/// copy that are still on their way.
void Placements::close(NodeIndex index, const InFlight& order) {
    Copy* copy = find(entry(order.task), order.ordinal, index);
    const bool is_there = copy != nullptr && copy->reported && copy->generation >= order.generation;
    if (order.action == Order::Action::start && !is_there) {
        note_lapsed(index, order);
    }
    if (copy == nullptr) {
        return;  // With an order that was closed before.
    }
    touch(order.task);
    copy->starting = copy->stopping = false;
    for (const InFlight& other : at(index).in_flight) {
        if (other.task == order.task && other.ordinal == order.ordinal) {
            copy->starting = copy->starting || other.action == Order::Action::start;
            copy->stopping = copy->stopping || other.action == Order::Action::stop;
        }
    }
    if (copy->starting) {
        return;
    }
    if (!copy->reported) {
        erase(order.task, *copy);
    } else if (order.action == Order::Action::start) {
        const bool is_obeyed = copy->generation >= order.generation;
        const bool is_as_it_was = !is_obeyed && copy->state != InstanceState::stopping;
        copy->replacing = copy->replacing && !is_as_it_was;
        // It may have been said to run before the answer that settles the order.
        copy->taken_down =
            copy->taken_down && !is_as_it_was && !(is_obeyed && has_run(copy->state));
    }
}

void Placements::note_lapsed(NodeIndex index, const InFlight& order) {
    std::vector<Lapsed>& lapsed = at(index).lapsed;
    const Lapsed one{order.generation, order.ordinal};
    if (std::ranges::find(lapsed, one) != lapsed.end()) {
        return;
    }
    if (lapsed.size() == limits::instances_per_node) {
        lapsed.erase(lapsed.begin());
    }
    lapsed.push_back(one);
}

void Placements::arrived(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    Copy* copy = find(entry(task), ordinal, node);
    ensure(copy != nullptr, "the target of a move that is over is there");
    copy->moving = false;
}

}  // namespace muster::coordinator
