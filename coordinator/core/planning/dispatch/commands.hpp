#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// Turns the orders of a plan into batches, one per node unless a bound splits it, each with the
/// next sequence of its node. Nothing is ever sent again: what a later answer shows as not obeyed
/// is planned anew.
///
/// A spec travels once per node and generation. What a node was given is remembered here, and
/// forgotten with its life or when it says that it lacks one.
///
/// Pure: no clock, no I/O, no thread. Owned by Coordinator.
class Commands {
public:
    Commands(NodeRegistry& nodes, const Workload& workload, Placements& placements)
        : nodes_{nodes}, workload_{workload}, placements_{placements} {}

    /// `meta` stamps the batches. Every order counts as launched when this returns.
    void launch(const Plan& plan, const Meta& meta, std::vector<ToAgent>& messages);

    /// The node has no spec at all: it is new, or a new life, or forgotten.
    void forget(NodeIndex node);
    /// The node refused a start for want of its spec: the next batch brings it again.
    void forget(NodeIndex node, TaskIndex task);

private:
    friend struct CoreFields;

    struct Given {
        TaskIndex task{};
        Generation generation{};
    };

    /// Opens a batch if none is open or the open one is full.
    Batch& batch_for(const Order& order, const Meta& meta, std::vector<ToAgent>& messages);
    /// The spec that has to travel with a start; none if the node was given it.
    [[nodiscard]] std::optional<SpecVersion> spec_for(const Order& order);

    NodeRegistry& nodes_;
    const Workload& workload_;
    Placements& placements_;
    std::vector<std::vector<Given>> given_;  // By node; sorted by task, one entry a task.

    // The batch being filled, which is the last message.
    std::optional<NodeIndex> filling_;
    std::size_t commands_ = 0;
    std::size_t spec_bytes_ = 0;
};

}  // namespace muster::coordinator
