#include "coordinator/core/workload/orders_in_flight.hpp"

#include <algorithm>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"

namespace muster::coordinator {

namespace {

bool is_of(const OrdersInFlight::InFlight& one, TaskIndex task, Ordinal ordinal) {
    return one.order.task == task && one.order.ordinal == ordinal;
}

bool is_start(const OrdersInFlight::InFlight& one) {
    return one.order.action == Order::Action::start;
}

Vanished what_vanished(const Order& order) { return {order.task, order.ordinal, order.generation}; }

}  // namespace

void OrdersInFlight::copy_from(const OrdersInFlight& other) {
    nodes_ = other.nodes_;
    count_ = other.count_;
    outcomes_ = other.outcomes_;
}

void OrdersInFlight::launched(const Order& order, Sequence sequence) {
    std::vector<InFlight>& in_flight = at(order.node).in_flight;
    ensure(table_.is_counted(order.node) && table_.is_commandable(order.node),
           "orders go to commandable nodes that count");
    ensure(in_flight.empty() || in_flight.back().sequence <= sequence,
           "sequences of a node do not decrease");
    in_flight.push_back({order, sequence, false});
    ++count_;
    const Copy& copy = copies_.on_launched(order);
    if (order.action == Order::Action::start && copy.reported) {
        reported_.set_origin(order.node, {workload_.name(order.task), order.ordinal}, copy.origin);
    }
}

void OrdersInFlight::resolve(NodeIndex index, Sequence issued) {
    std::vector<InFlight>& in_flight = at(index).in_flight;
    const auto rest = std::ranges::find_if(
        in_flight, [&](const InFlight& order) { return order.sequence > issued; });
    if (rest == in_flight.begin()) {
        return;
    }
    const std::vector<InFlight> closed(in_flight.begin(), rest);
    in_flight.erase(in_flight.begin(), rest);
    if (in_flight.empty()) {
        in_flight.shrink_to_fit();
    }
    count_ -= closed.size();
    (issued == everything ? outcomes_.unanswered : outcomes_.answered) += closed.size();
    for (const InFlight& one : closed) {
        close(index, one.order);
    }
}

std::vector<Vanished> OrdersInFlight::obeyed_without_effect(NodeIndex index, Sequence issued,
                                                            Sequence obeyed) const {
    std::vector<Vanished> found;
    for (const InFlight& one : on(index)) {
        const bool is_obeyed = one.obeyed || one.sequence == obeyed;
        if (!is_start(one) || one.sequence > issued || !is_obeyed) {
            continue;
        }
        const Copy* const copy = copies_.find(one.order.task, one.order.ordinal, index);
        const Vanished vanished = what_vanished(one.order);
        if (!is_followed(one) && copy != nullptr && !copy->reported &&
            std::ranges::find(found, vanished) == found.end()) {
            found.push_back(vanished);
        }
    }
    return found;
}

std::optional<Vanished> OrdersInFlight::mark_unstopped(NodeIndex index, Sequence issued,
                                                       Sequence obeyed) {
    std::optional<Vanished> first;
    for (const InFlight& one : on(index)) {
        const bool is_obeyed = one.obeyed || one.sequence == obeyed;
        if (is_start(one) || one.sequence > issued || !is_obeyed) {
            continue;
        }
        const Copy* const copy = copies_.find(one.order.task, one.order.ordinal, index);
        if (copy != nullptr && copy->reported && copy->generation == one.order.generation &&
            copy->state != InstanceState::stopping && copy->origin != Origin::unordered &&
            !is_followed(one)) {
            set_unordered(one.order);
            first = first.value_or(what_vanished(one.order));
        }
    }
    return first;
}

void OrdersInFlight::set_unordered(const Order& order) {
    copies_.set_origin(order.task, order.ordinal, order.node, Origin::unordered);
    reported_.set_origin(order.node, {workload_.name(order.task), order.ordinal},
                         Origin::unordered);
}

void OrdersInFlight::obeyed(NodeIndex index, Sequence sequence) {
    for (InFlight& one : at(index).in_flight) {
        one.obeyed = one.obeyed || one.sequence == sequence;
    }
}

bool OrdersInFlight::refused(NodeIndex index, const InstanceId& id, Generation generation,
                             Sequence obeyed) {
    const InFlight* const found = find(index, id, generation);
    if (found == nullptr || found->sequence > obeyed) {
        return false;
    }
    const Order order = found->order;
    std::vector<InFlight>& in_flight = at(index).in_flight;
    in_flight.erase(in_flight.begin() + (found - in_flight.data()));
    --count_;
    ++outcomes_.refused;
    close(index, order);
    return order.action == Order::Action::start;
}

bool OrdersInFlight::is_ordered(NodeIndex index, const InstanceId& id,
                                Generation generation) const {
    return find(index, id, generation) != nullptr;
}

bool OrdersInFlight::was_started(NodeIndex index, TaskIndex task, Ordinal ordinal,
                                 Generation generation) const {
    if (raw(index) >= nodes_.size()) {
        return false;
    }
    const OfNode& node = nodes_[raw(index)];
    const auto is_it = [&](const InFlight& one) {
        return is_start(one) && is_of(one, task, ordinal) && one.order.generation == generation;
    };
    return std::ranges::any_of(node.in_flight, is_it) ||
           std::ranges::find(node.expired_starts, ExpiredStart{task, generation, ordinal}) !=
               node.expired_starts.end();
}

std::optional<Generation> OrdersInFlight::started(NodeIndex index, TaskIndex task,
                                                  Ordinal ordinal) const {
    std::optional<Generation> last;
    for (const InFlight& one : on(index)) {
        if (is_start(one) && is_of(one, task, ordinal)) {
            last = one.order.generation;
        }
    }
    return last;
}

std::span<const OrdersInFlight::InFlight> OrdersInFlight::on(NodeIndex index) const {
    return raw(index) < nodes_.size() ? std::span{nodes_[raw(index)].in_flight}
                                      : std::span<const InFlight>{};
}

bool OrdersInFlight::is_followed(const InFlight& order) const {
    return std::ranges::any_of(on(order.order.node), [&](const InFlight& other) {
        return other.order.action != order.order.action &&
               is_of(other, order.order.task, order.order.ordinal) &&
               other.sequence >= order.sequence;
    });
}

const OrdersInFlight::InFlight* OrdersInFlight::find(NodeIndex index, const InstanceId& id,
                                                     Generation generation) const {
    const auto task = workload_.find(id.task);
    for (const InFlight& one : on(index)) {
        if (one.order.task == task && one.order.ordinal == id.ordinal &&
            one.order.generation == generation) {
            return &one;
        }
    }
    return nullptr;
}

void OrdersInFlight::close(NodeIndex index, const Order& order) {
    const Copy* const copy = copies_.find(order.task, order.ordinal, index);
    const bool is_there = copy != nullptr && copy->reported && copy->generation >= order.generation;
    if (order.action == Order::Action::start && !is_there) {
        note_expired_start(index, order);
    }
    bool starting = false;
    bool stopping = false;
    for (const InFlight& other : on(index)) {
        if (is_of(other, order.task, order.ordinal)) {
            (is_start(other) ? starting : stopping) = true;
        }
    }
    copies_.on_resolved(order, starting, stopping);
}

void OrdersInFlight::note_expired_start(NodeIndex index, const Order& order) {
    std::vector<ExpiredStart>& expired_starts = at(index).expired_starts;
    const ExpiredStart one{order.task, order.generation, order.ordinal};
    if (std::ranges::find(expired_starts, one) != expired_starts.end()) {
        return;
    }
    if (expired_starts.size() == limits::instances_per_node) {
        expired_starts.erase(expired_starts.begin());
    }
    expired_starts.push_back(one);
}

}  // namespace muster::coordinator
