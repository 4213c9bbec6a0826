#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

namespace {

Workload workload_of(const StoreImage& image) {
    Workload workload{image.meta.counter};
    for (const StoredTask& task : image.tasks) {
        workload.put(task);
    }
    return workload;
}

}  // namespace

Copies::Copies(Instant now, const CoordinatorOptions& options, const StoreImage& image)
    : workload{workload_of(image)},
      placements{workload},
      leases{now, options.lease, raw(image.meta.epoch) > 1} {}

void Copies::hold_all_on(NodeIndex index, const Node& node) {
    // What runs there may be of a generation that was exclusive, whatever its task is now.
    for (const auto& [task, ordinal] : placements.all_on(index)) {
        leases.hold(index, node.name, node.life, {workload.name(task), ordinal});
    }
}

void Copies::on_changed_node(NodeIndex index, const Node& node,
                             std::optional<Evacuation> evacuation) {
    if (placements.nodes().is_counted(index) && !is_counted(node)) {
        hold_all_on(index, node);
    }
    placements.set_counted(index, is_counted(node));
    placements.set_serving(index, is_serving(node));
    placements.set_evacuating(index, evacuation);
    placements.set_commandable(index, is_commandable(node));
}

void Copies::remove_node(NodeIndex index, const Node& node) {
    hold_all_on(index, node);
    leases.forget(index);
    placements.remove_node(index);
}

}  // namespace muster::coordinator
