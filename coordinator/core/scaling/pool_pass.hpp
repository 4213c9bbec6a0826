#pragma once

#include "common/base/time.hpp"
#include "coordinator/core/pools/sizing.hpp"
#include "coordinator/core/scaling/pool_situation.hpp"

namespace muster::coordinator {

/// One decision about one pool:
///
///     listing, answers, agents -> the states of its nodes -> capacity -> wanted? -> drains,
///     requests
///
/// A node is requested, active, draining, removing, and then gone. A node whose agent answers is
/// never counted as gone, whatever the provider lists.
[[nodiscard]] PoolChange decide(Instant now, PoolSituation situation, Sizing& sizing);

}  // namespace muster::coordinator
