#include "coordinator/core/workload/views.hpp"

#include <algorithm>
#include <string>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

namespace {

InstanceView view_of_order(const Workload& workload, const Placements& placements, TaskIndex task,
                           Ordinal ordinal, NodeIndex node, Generation generation) {
    return {.id = {workload.name(task), ordinal},
            .node = placements.nodes().name(node),
            .state = "ordered",
            .generation = generation,
            .detail = {}};
}

InstanceView view_of_report(const Workload& workload, const Placements& placements, NodeIndex node,
                            const ReportedInstance& instance) {
    return {
        .id = {workload.name(instance.task), instance.ordinal},
        .node = placements.nodes().name(node),
        .state = std::string{to_string(instance.state)},
        .generation = instance.generation,
        .restarts = instance.restarts,
        .exit_code = instance.exit_code,
        .exit_signal = instance.exit_signal,
        .started = instance.started,
        .detail = placements.reported().detail(node, instance),
        .stray = workload.is_foreign(instance.generation) || instance.origin == Origin::unordered};
}

}  // namespace

std::vector<InstanceView> views_on(const Workload& workload, const Placements& placements,
                                   NodeIndex node) {
    const auto held = placements.reported().on(node);
    std::vector<InstanceView> views;
    views.reserve(held.size());
    for (const ReportedInstance& instance : held) {
        views.push_back(view_of_report(workload, placements, node, instance));
    }
    for (const auto& [order, sequence, obeyed] : placements.orders().on(node)) {
        const bool is_held =
            placements.reported().find(node, {workload.name(order.task), order.ordinal}) != nullptr;
        if (order.action == Order::Action::start && !is_held) {
            views.push_back(view_of_order(workload, placements, order.task, order.ordinal, node,
                                          order.generation));
        }
    }
    std::ranges::sort(views, {}, &InstanceView::id);
    const auto is_again = [](const auto& one, const auto& next) { return one.id == next.id; };
    views.erase(std::unique(views.begin(), views.end(), is_again), views.end());
    return views;
}

InstanceView view_of(const Workload& workload, const Placements& placements, TaskIndex task,
                     const Copy& copy) {
    if (!copy.reported) {
        return view_of_order(workload, placements, task, copy.ordinal, copy.node, copy.generation);
    }
    const ReportedInstance* const held =
        placements.reported().find(copy.node, {workload.name(task), copy.ordinal});
    ensure(held != nullptr, "a reported copy is held by its node");
    return view_of_report(workload, placements, copy.node, *held);
}

}  // namespace muster::coordinator
