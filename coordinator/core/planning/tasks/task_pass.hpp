#pragma once

#include "coordinator/core/planning/pass/planner_state.hpp"
#include "coordinator/core/planning/tasks/task_orders.hpp"

namespace muster::coordinator {

/// One task's part of a pass: what is too many is stopped, what is missing is placed, what is on a
/// node to be left is moved, what failed is tried elsewhere, what is outdated is replaced. Its
/// homes are fresh. True: it was given orders.
bool plan_task(PlannerState& state, TaskIndex index, const Scope& scope, PassOrders& orders);

}  // namespace muster::coordinator
