#include "coordinator/core/workload/placements.hpp"

#include <algorithm>
#include <string>

namespace muster::coordinator {

Placements::Placements(Workload& workload)
    : workload_{workload},
      reported_{workload},
      copies_{workload},
      orders_{workload, nodes_, reported_, copies_} {}

Placements::Placements(const Placements& other, Workload& workload)
    : workload_{workload},
      nodes_{other.nodes_},
      reported_{other.reported_, workload},
      copies_{other.copies_, workload},
      orders_{workload, nodes_, reported_, copies_} {
    nodes_.mark_all_new();
    orders_.copy_from(other.orders_);
}

void Placements::remove_node(NodeIndex index) {
    set_serving(index, false);
    set_counted(index, false);
    set_evacuating(index, {});
    for (const ReportedInstance& instance : reported_.on(index)) {
        reported_.drop_detail(index, instance);
        copies_.unrefer(instance.task);
    }
    reported_.forget(index);
    orders_.forget(index);
    nodes_.remove(index);
}

void Placements::set_counted(NodeIndex node, bool counted) {
    if (!nodes_.set_counted(node, counted)) {
        return;
    }
    touch_all_on(node, true);
    if (!counted) {
        // Copies that are only ordered count as gone, too.
        orders_.resolve(node, OrdersInFlight::everything);
    }
    for (const ReportedInstance& instance : reported_.on(node)) {
        if (counted) {
            copies_.on_reported(node, instance, false);
        } else {
            count_gone(node, instance);
        }
    }
}

void Placements::distrust(NodeIndex node) {
    set_origins(node, Origin::unordered, [](Origin origin) { return is_perhaps_ordered(origin); });
}

void Placements::exempt(NodeIndex node) {
    set_origins(node, Origin::unproven, [](Origin origin) { return origin == Origin::unordered; });
}

void Placements::set_origins(NodeIndex node, Origin to, bool (*applies)(Origin origin)) {
    for (const ReportedInstance& instance : reported_.on(node)) {
        if (!applies(instance.origin)) {
            continue;
        }
        copies_.touch(instance.task);
        if (copies_.find(instance.task, instance.ordinal, node) != nullptr) {
            copies_.set_origin(instance.task, instance.ordinal, node, to);
        }
        reported_.set_origin(node, {std::string{workload_.name(instance.task)}, instance.ordinal},
                             to);
    }
}

void Placements::touch_all_on(NodeIndex node, bool has_changed) {
    if (!has_changed) {
        return;
    }
    for (const ReportedInstance& instance : reported_.on(node)) {
        copies_.touch(instance.task);
    }
}

bool Placements::is_busy(NodeIndex node) const {
    return orders_.count(node) > 0 ||
           std::ranges::any_of(reported_.on(node), [](const ReportedInstance& instance) {
               return may_run(instance.state);
           });
}

bool Placements::has_wanted_copies(NodeIndex node) const {
    const auto is_wanted = [this](TaskIndex task) { return workload_[task].wanted; };
    return std::ranges::any_of(reported_.on(node), is_wanted, &ReportedInstance::task) ||
           std::ranges::any_of(orders_.on(node), [&](const OrdersInFlight::InFlight& one) {
               return one.order.action == Order::Action::start && is_wanted(one.order.task);
           });
}

bool Placements::is_consistent() const {
    std::size_t held = 0;
    std::size_t counted = 0;
    std::size_t in_flight = 0;
    std::size_t evacuating = 0;
    for (const NodeIndex node : nodes_.by_name()) {
        held += reported_.count(node);
        counted += nodes_.is_counted(node) ? reported_.count(node) : 0;
        in_flight += orders_.count(node);
        evacuating += nodes_.evacuation(node) ? 1U : 0U;
    }
    return copies_.is_consistent(held, counted) && in_flight == orders_.count() &&
           evacuating == nodes_.evacuating();
}

std::vector<Placements::Instance> Placements::all_on(NodeIndex node) const {
    const auto held = reported_.on(node);
    const auto ordered = orders_.on(node);
    std::vector<Instance> instances;
    instances.reserve(held.size() + ordered.size());
    for (const ReportedInstance& instance : held) {
        instances.push_back({instance.task, instance.ordinal});
    }
    for (const auto& [order, sequence, obeyed] : ordered) {
        if (order.action == Order::Action::start) {
            instances.push_back({order.task, order.ordinal});
        }
    }
    return instances;
}

}  // namespace muster::coordinator
