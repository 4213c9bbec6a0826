#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Begins the decided moves, as the tasks' max_surge, the rest of instances and the budget of a
/// pass have room for: at most so many. Tasks take turns. `ordered`: those that this pass gave
/// orders before.
void begin_moves(PlannerState& state, const Scope& scope, std::uint32_t budget,
                 const TaskList& ordered, std::vector<Order>& orders);

}  // namespace muster::coordinator
