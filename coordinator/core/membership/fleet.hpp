#pragma once

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/membership/pools.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The state that a change of intents is checked against.
struct FleetView {
    const NodeRegistry& nodes;
    const Intents& intents;
    const Placements& placements;
    const Pools& pools;
    CivilMs now{};
    bool listed_only = false;  ///< Only names on the list may join.
};

/// The row of a removed name, which is refused from now on. If only listed names may join, no row
/// is needed.
[[nodiscard]] StoredIntent removed_row(const StoredIntent& before, bool listed_only);

/// True if the node reports, and reports no running instances.
[[nodiscard]] bool is_drained(NodeIndex index, const FleetView& fleet);

}  // namespace muster::coordinator
