#pragma once

#include <vector>

#include "common/messages/operator.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// How the cluster is. The planner's totals are as of their last refresh.
[[nodiscard]] StatusReply status(const Facts& facts);
/// The nodes that know a later or another store.
[[nodiscard]] std::vector<AheadNode> ahead_nodes(const Facts& facts);

}  // namespace muster::coordinator
