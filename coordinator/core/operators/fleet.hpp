#pragma once

#include <map>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/ledger/intents.hpp"
#include "coordinator/core/nodes/nodes.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// What a change of intents is checked against.
struct Fleet {
    const Nodes& nodes;
    const Intents& intents;
    const Placements& placements;
    const std::map<NodeIndex, std::string>& own_pools;  ///< Of those that the list puts elsewhere.
    CivilMs now{};
    bool listed_only = false;  ///< Only names on the list may join.
};

}  // namespace muster::coordinator
