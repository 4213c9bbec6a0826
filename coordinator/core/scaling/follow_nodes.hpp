#pragma once

#include "coordinator/core/scaling/pool_situation.hpp"

namespace muster::coordinator {

/// The states of the nodes of a pool follow what its provider and their agents say:
///
///     requested -> active -> draining -> removing -> gone
///
/// Changes the nodes of the situation, and holds the pool if the listing is doubtful.
void follow_nodes(PoolSituation& situation, PoolChange& change);

}  // namespace muster::coordinator
