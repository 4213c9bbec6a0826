#pragma once

#include <set>

#include "common/messages/operator.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/policies.hpp"

namespace muster::coordinator {

/// What the planner would do if these nodes were lost, tasks not wanted or nodes added.
///
/// The real planner answers, with one pass without limits, on a copy of what is wanted, reported,
/// and failed recently. The originals are not changed. Other state of the live planner (moves
/// decided but not begun, warm nodes) is not copied: such moves are decided again. Instances that
/// reach the same node in any case are only counted. The caller adds whether the cluster would
/// freeze.
///
/// `not_found`: a selector matches no node, or a pattern matches no task.
[[nodiscard]] Result<PlanReply> what_if(Instant now, const Workload& workload,
                                        const Placements& placements, const Planner& planner,
                                        Rebalance mode, const std::set<NodeIndex>& failing,
                                        const PlanRequest& request);

}  // namespace muster::coordinator
