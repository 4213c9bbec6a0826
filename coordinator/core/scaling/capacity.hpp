#pragma once

#include <vector>

#include "common/messages/operator/pool_definitions.hpp"
#include "common/spec/placement.hpp"
#include "coordinator/core/scaling/pool_pass.hpp"

/// How much one node has, in the unit of its pool.
namespace muster::coordinator {

/// If the node does not say how much it has, the definition of the pool does.
[[nodiscard]] Amount amount_of(const Offer& offer, const PoolSpec& spec);
struct NewNode {
    Amount amount = 1;  ///< Never 0.
    bool is_known = true;
};
/// What a node that is asked for will have: as the definition says, or else the most that one of
/// these has, or else a guess.
[[nodiscard]] NewNode new_node(const PoolSpec& spec, const std::vector<PoolNode>& nodes);

}  // namespace muster::coordinator
