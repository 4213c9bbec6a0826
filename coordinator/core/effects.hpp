#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"

namespace muster::coordinator {

/// What the next pass covers: nothing, the tasks that were touched, or all that a closed round
/// allows.
enum class PlanReason : std::uint8_t { none, touched, all };

/// A start that a node did not carry out, or an instance that vanished from its node.
struct FailedInstance {
    TaskIndex task{};
    Ordinal ordinal = 0;
    NodeIndex node{};
    std::string why;
    bool vanished = false;  ///< The node should run it, and no longer reports it.
};

/// What a handler asks of the rest of this step. Each field has one reader.
struct Effects {
    /// Nodes with a new life, and removed records: they hold no spec.
    std::vector<NodeIndex> resets;
    std::vector<std::pair<NodeIndex, TaskIndex>> specs_lacking;  ///< The node needs the spec again.
    std::vector<FailedInstance> failed;
    /// Nodes that left or were removed: their instances did not vanish.
    std::vector<NodeIndex> departed;
    std::vector<std::pair<TaskIndex, Ordinal>> ended_well;  ///< Instances that are not run again.
    PlanReason plan = PlanReason::none;
    bool wake_waits = false;

    void plan_at_least(PlanReason reason) { plan = std::max(plan, reason); }
};

}  // namespace muster::coordinator
