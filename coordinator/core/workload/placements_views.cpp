#include <algorithm>

#include "common/base/ensure.hpp"
#include "coordinator/core/workload/placements.hpp"

// The part of Placements that shows what it holds.
namespace muster::coordinator {

std::vector<InstanceView> Placements::instances_on(NodeIndex index) const {
    const Node& node = at(index);
    std::vector<InstanceView> views;
    for (const Held& held : node.held) {
        views.push_back(view(index, held));
    }
    for (const InFlight& order : node.in_flight) {
        const bool is_held = std::ranges::any_of(node.held, [&](const Held& held) {
            return held.task == order.task && held.ordinal == order.ordinal;
        });
        if (order.action == Order::Action::start && !is_held) {
            views.push_back(ordered_view(order.task, order.ordinal, index, order.generation));
        }
    }
    std::ranges::sort(views, [](const auto& a, const auto& b) { return a.id < b.id; });
    const auto rest = std::unique(views.begin(), views.end(),
                                  [](const auto& a, const auto& b) { return a.id == b.id; });
    views.erase(rest, views.end());
    return views;
}

InstanceView Placements::view(TaskIndex task, const Copy& copy) const {
    const Node& node = at(copy.node);
    if (copy.reported) {
        const InstanceId id{workload_.name(task), copy.ordinal};
        const auto held = node.held.begin() + static_cast<std::ptrdiff_t>(position_of(node, id));
        ensure(held != node.held.end() && held->task == task && held->ordinal == copy.ordinal,
               "a reported copy is held by its node");
        return view(copy.node, *held);
    }
    return ordered_view(task, copy.ordinal, copy.node, copy.generation);
}

InstanceView Placements::ordered_view(TaskIndex task, Ordinal ordinal, NodeIndex node,
                                      Generation generation) const {
    InstanceView view;
    view.id = {workload_.name(task), ordinal};
    view.node = at(node).name;
    view.state = "ordered";
    view.generation = generation;
    return view;
}

InstanceView Placements::view(NodeIndex index, const Held& held) const {
    const bool stray = is_foreign(held.generation) || held.origin == Origin::claimed;
    return {.id = {workload_.name(held.task), held.ordinal},
            .node = at(index).name,
            .state = std::string{to_string(held.state)},
            .generation = held.generation,
            .restarts = held.restarts,
            .exit_code = held.exit_code,
            .exit_signal = held.exit_signal,
            .started = held.started,
            .detail = held.detailed ? details_.at({index, held.task, held.ordinal}) : "",
            .stray = stray};
}

std::vector<Placements::Instance> Placements::all_on(NodeIndex index) const {
    const Node& node = at(index);
    std::vector<Instance> instances;
    instances.reserve(node.held.size() + node.in_flight.size());
    for (const Held& held : node.held) {
        instances.push_back({held.task, held.ordinal});
    }
    for (const InFlight& order : node.in_flight) {
        if (order.action == Order::Action::start) {
            instances.push_back({order.task, order.ordinal});
        }
    }
    return instances;
}

bool Placements::bears_wanted(NodeIndex index) const {
    const Node& node = at(index);
    return std::ranges::any_of(node.held,
                               [this](const Held& held) { return workload_[held.task].wanted; }) ||
           std::ranges::any_of(node.in_flight, [this](const InFlight& order) {
               return order.action == Order::Action::start && workload_[order.task].wanted;
           });
}

}  // namespace muster::coordinator
