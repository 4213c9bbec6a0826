#pragma once

#include <map>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// What a change of intents is checked against.
struct FleetView {
    const NodeRegistry& nodes;
    const Intents& intents;
    const Placements& placements;
    const std::map<NodeIndex, std::string>&
        reported_pools;  ///< Of those that the list puts elsewhere.
    CivilMs now{};
    bool listed_only = false;  ///< Only names on the list may join.
};

/// The row of a name that is removed: refused from now on, by its row or for want of one.
[[nodiscard]] StoredIntent removed_row(const StoredIntent& before, bool listed_only);

/// It can report what it runs, and reports nothing that runs.
[[nodiscard]] bool is_drained(NodeIndex index, const FleetView& fleet);

}  // namespace muster::coordinator
