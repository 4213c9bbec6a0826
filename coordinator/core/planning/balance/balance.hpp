#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Seeks an even spread: by the fewest moves of running copies where every instance may run on
/// every node, else by one improvement after another. Without `moves`, only placements of this
/// pass, which `orders` has, get other nodes.
void seek_balance(PlannerState& state, bool moves, std::vector<Order>& orders);

/// Begins the decided moves, as the tasks' max_surge, the rest of instances and the budget of a
/// pass have room for: at most so many. Tasks take turns. `ordered`: those that this pass gave
/// orders before.
void begin_moves(PlannerState& state, const Scope& scope, std::uint32_t budget,
                 const TaskList& ordered, std::vector<Order>& orders);

}  // namespace muster::coordinator
