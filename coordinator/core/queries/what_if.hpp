#pragma once

#include <set>

#include "common/messages/operator.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/policies.hpp"

namespace muster::coordinator {

/// What the planner would do if these nodes were lost, tasks not wanted or nodes added.
///
/// The answer is that of the real planner, on a copy of what is wanted and reported and of what
/// went wrong of late: one plan, in which nothing is throttled. The originals are not changed. What
/// the live planner remembers beyond that (moves it has decided and not begun, which nodes are warm
/// for which group) is not copied: such moves are decided anew. What comes to the same place in any
/// case is only counted, and whether the cluster would freeze is left to the caller, who knows who
/// is counted.
///
/// `not_found` names what there is, for a selector that means no node and for a pattern that means
/// no task.
[[nodiscard]] Result<PlanReply> what_if(Instant now, const Workload& workload,
                                        const Placements& placements, const Planner& planner,
                                        Rebalance mode, const std::set<NodeIndex>& failing,
                                        const PlanRequest& request);

}  // namespace muster::coordinator
