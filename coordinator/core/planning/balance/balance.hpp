#pragma once

#include <cstdint>
#include <vector>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Seeks an even spread. If every instance may run on every node, it uses the fewest moves of
/// running copies; otherwise it makes one improvement after another. Without `moves`, only
/// placements of this pass, which are in `orders`, get other nodes.
void seek_balance(PlannerState& state, bool moves, std::vector<Order>& orders);

/// Begins decided moves, at most `budget`, as the tasks' max_surge and the rest of instances allow.
/// Tasks take turns. `ordered`: tasks with other orders in this pass.
void begin_moves(PlannerState& state, const Scope& scope, std::uint32_t budget,
                 const TaskList& ordered, std::vector<Order>& orders);

}  // namespace muster::coordinator
