#pragma once

#include "common/base/time.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/leases.hpp"
#include "coordinator/core/workload/placements.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// What is wanted, who runs what of it, and until when copies that nobody sees may still run.
struct Copies {
    Copies(Instant now, const CoordinatorOptions& options, const StoreImage& image);

    /// What the node runs may go on running while nobody sees it.
    void hold_all_on(NodeIndex index, const Node& node);
    /// What follows for its copies from the facts of a node that changed. `evacuation`: all that
    /// runs there has to run elsewhere.
    void on_changed_node(NodeIndex index, const Node& node, std::optional<Evacuation> evacuation);
    /// The record ends.
    void remove_node(NodeIndex index, const Node& node);
    /// No copy on it counts, and nothing is on its way there.
    [[nodiscard]] bool is_empty(NodeIndex index) const {
        return placements.reported().count(index) == 0 && placements.orders().count(index) == 0;
    }

    Workload workload;
    Placements placements;
    Leases leases;
};

}  // namespace muster::coordinator
