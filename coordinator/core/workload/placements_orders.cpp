#include <algorithm>

#include "common/base/ensure.hpp"
#include "coordinator/core/workload/placements.hpp"

// The part of Placements that knows what is in flight.
namespace muster::coordinator {

void Placements::launched(const Order& order, Sequence sequence) {
    Node& node = at(order.node);
    ensure(node.counted && node.commandable, "orders go to commandable nodes that count");
    ensure(node.in_flight.empty() || node.in_flight.back().sequence <= sequence,
           "sequences of a node do not decrease");
    node.in_flight.push_back({sequence, order.generation, order.task, order.ordinal, order.action});
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
    if (copy == nullptr) {
        return;
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

void Placements::arrived(TaskIndex task, Ordinal ordinal, NodeIndex node) {
    Copy* copy = find(entry(task), ordinal, node);
    ensure(copy != nullptr, "the target of a move that is over is there");
    copy->moving = false;
}

}  // namespace muster::coordinator
