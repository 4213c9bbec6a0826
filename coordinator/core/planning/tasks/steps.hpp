#pragma once

#include <optional>
#include <vector>

#include "coordinator/core/planning/pass/retry.hpp"
#include "coordinator/core/planning/tasks/task_orders.hpp"

// The steps of a pass for one task, in their order.
namespace muster::coordinator {

/// Plans one task, whose homes are up to date: stops surplus copies, places missing instances,
/// moves instances off evacuated nodes, retries failed ones elsewhere, and replaces outdated
/// copies. True: the task got orders.
bool plan_task(PlannerState& state, TaskIndex index, const Scope& scope, PassOrders& orders);

/// What keeps a roll-out from taking down another copy of an older generation. A new copy that
/// ended before min_healthy halts the roll-out, until the task is changed again or that copy has
/// run for min_healthy.
struct RollOutHold {
    bool on_trial = false;  ///< Some new copy has not run for min_healthy yet.
    /// The new copy of this ordinal failed or ended early, and has not been healthy since: the
    /// roll-out takes no other ordinal, even when that copy is gone.
    std::optional<Ordinal> only{};
};
[[nodiscard]] RollOutHold hold_of(const TaskAtHand& at, const RecentFailures& failures);

/// The parameters of the steps.
struct TaskStep {
    const TaskAtHand& at;
    TaskOrders& orders;
    TargetSearch& search;
    Shortfall& shortfall;
    const RecentFailures& failures;
    RollOutHold hold{};
};

// ---- surplus copies ----

/// Stops all copies of a task that is not wanted.
void stop_unwanted(const TaskAtHand& at, TaskOrders& orders);
/// Stops copies of ordinals that are not wanted.
void stop_surplus(const TaskAtHand& at, TaskOrders& orders);
/// Stops copies of an ordinal that the copy that stays makes unnecessary.
void stop_duplicates(const TaskAtHand& at, TaskOrders& orders);
/// With every_node: stops copies that are not on the node to which their ordinal is bound.
void stop_unbound(const TaskAtHand& at, TaskOrders& orders);

// ---- instances that have no copy ----

void place_missing(const TaskStep& step, ByInstance<Instant>& on_lost_nodes);
/// The nodes of a task with every_node, by ordinal. `adds`: binds nodes without an ordinal, too.
/// The counts of `scratch` are overwritten.
[[nodiscard]] std::vector<NodeIndex> bind_every_node(PlannerState& state, TaskIndex index,
                                                     bool adds);
/// Starts missing instances of a task with every_node. Such instances never move: on an evacuated
/// node they are stopped.
void start_on_every_node(const TaskStep& step);

// ---- instances that must be elsewhere, or of another generation ----

/// Moves instances off evacuated nodes. The new copy starts first where a node and `max_surge`
/// allow it. Without `max_surge` the old copy is stopped first, once another node has a place.
/// `blocked` gets the instances that cannot move.
void evacuate(const TaskStep& step, ByInstance<Obstacle>& blocked);
/// Stops failed instances, and reserves a place on another node for each.
void retry_failed(const TaskStep& step);
/// Replaces copies of an older generation one at a time, each once the last new copy is healthy.
/// The new copy starts first where a node and `max_surge` allow it; otherwise the copy is replaced
/// in place within `max_unavailable`. `staying` is overwritten.
void roll_out(const TaskStep& step, Tally<NodeIndex>& kept_nodes);

}  // namespace muster::coordinator
