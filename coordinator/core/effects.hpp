#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"

namespace muster::coordinator {

/// Why the planner has to look: at what was touched, or at everything that a closed round allows.
enum class PlanReason : std::uint8_t { none, touched, all };

/// A start that a node did not obey, or an instance that it was to run and that is not there.
struct FailedInstance {
    TaskIndex task{};
    Ordinal ordinal = 0;
    NodeIndex node{};
    std::string why;
    bool vanished = false;  ///< It was to run there, and is not there.
};

/// What a handler asks of the rest of this step. Each field has one reader.
struct Effects {
    std::vector<NodeIndex> resets;  ///< New lives, and records that end: they hold no spec.
    std::vector<std::pair<NodeIndex, TaskIndex>> specs_lacking;  ///< The node has to get it again.
    std::vector<FailedInstance> failed;
    std::vector<NodeIndex> excused;  ///< They were leaving, or are no more: nothing vanished there.
    std::vector<std::pair<TaskIndex, Ordinal>> ended_well;  ///< Instances that are not run again.
    PlanReason plan = PlanReason::none;
    bool wake_waits = false;

    void plan_at_least(PlanReason reason) { plan = std::max(plan, reason); }
};

}  // namespace muster::coordinator
