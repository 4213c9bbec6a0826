#include "coordinator/core/membership/fleet.hpp"

namespace muster::coordinator {

StoredIntent removed_row(const StoredIntent& before, bool listed_only) {
    return {.name = before.name, .admission = listed_only ? Admission::open : Admission::removed};
}

bool is_drained(NodeIndex index, const FleetView& fleet) {
    const Node& node = fleet.nodes[index];
    return node.reported && !is_lost(node) && !fleet.placements.is_busy(index);
}

}  // namespace muster::coordinator
