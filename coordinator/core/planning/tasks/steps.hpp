#pragma once

#include <optional>
#include <vector>

#include "coordinator/core/planning/pass/retry.hpp"
#include "coordinator/core/planning/tasks/task_orders.hpp"

// The steps of one task's pass, in their order.
namespace muster::coordinator {

/// One task's part of a pass: what is too many is stopped, what is missing is placed, what is on a
/// node to be left is moved, what failed is tried elsewhere, what is outdated is replaced. Its
/// homes are fresh. True: it was given orders.
bool plan_task(PlannerState& state, TaskIndex index, const Scope& scope, PassOrders& orders);

/// What keeps a roll-out from taking down another copy of an older generation. A copy of the new
/// one that ended before it had run for min_healthy halts the roll-out, until the task is changed
/// again or that copy runs so long after all.
struct RollOutHold {
    bool on_trial = false;  ///< Some copy of the new generation has not run for min_healthy yet.
    bool halted = false;    ///< Or has ended before it did.
    /// Its new copy failed on some node, and none has shown yet that it lasts: no other instance is
    /// taken up.
    std::optional<Ordinal> only{};

    [[nodiscard]] bool holds() const { return on_trial || halted || only; }
};
[[nodiscard]] RollOutHold hold_of(const TaskAtHand& at, const RecentFailures& failures);

/// What the steps work with.
struct TaskStep {
    const TaskAtHand& at;
    TaskOrders& orders;
    TargetSearch& search;
    Shortfall& shortfall;
    const RecentFailures& failures;
    RollOutHold hold{};
};

// ---- copies that are too many ----

/// Of a task that is not wanted: all.
void stop_unwanted(const TaskAtHand& at, TaskOrders& orders);
/// Of ordinals that are not wanted.
void stop_surplus(const TaskAtHand& at, TaskOrders& orders);
/// Of several copies of one ordinal those that the one which stays makes needless.
void stop_duplicates(const TaskAtHand& at, TaskOrders& orders);
/// Of a task of every node: those that are not on the node to which their ordinal is bound.
void stop_unbound(const TaskAtHand& at, TaskOrders& orders);

// ---- instances that have no copy ----

void place_missing(const TaskStep& step, ByInstance<Instant>& on_lost_nodes);
/// The nodes, by ordinal, of a task that runs one instance on each node. `adds`: also of nodes that
/// have none yet. The counts of `scratch` are overwritten.
[[nodiscard]] std::vector<NodeIndex> bind_every_node(PlannerState& state, TaskIndex index,
                                                     bool adds);
/// Of a task of every node. Nothing of it is ever moved: what is on a node that is to be left is
/// stopped there, and follows to no other.
void start_on_every_node(const TaskStep& step);

// ---- instances that are to be elsewhere, or of another generation ----

/// Moves what is on nodes that are to be left. The new copy comes first, where a node and
/// `max_surge` allow it; without `max_surge` the copy is stopped first, once another node has a
/// place for it. What cannot leave is named.
void evacuate(const TaskStep& step, ByInstance<Obstacle>& blocked);
/// What failed on one node is stopped, and keeps a place on another one.
void retry_failed(const TaskStep& step);
/// Replaces copies of an older generation, one at a time and each once the last new one is healthy:
/// the new copy first where a node and `max_surge` allow it, else in place within
/// `max_unavailable`. `staying` is overwritten.
void roll_out(const TaskStep& step, Tally<NodeIndex>& staying);

}  // namespace muster::coordinator
