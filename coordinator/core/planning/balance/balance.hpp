#pragma once

#include <vector>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Seeks an even spread: by the fewest moves of running copies where every instance may run on
/// every node, else by one improvement after another. Without `moves`, only placements of this
/// pass, which `orders` has, get other nodes.
void seek_balance(PlannerState& state, bool moves, std::vector<Order>& orders);

}  // namespace muster::coordinator
