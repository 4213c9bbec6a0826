#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/core/planning/tasks/target_search.hpp"

namespace muster::coordinator {

/// The orders of a pass.
struct PassOrders {
    std::vector<Order> all;
    std::optional<std::uint32_t> starts_left;  ///< Nothing: no limit.
};

/// The orders for the task at hand, within instances + max_surge (S7).
class TaskOrders {
public:
    TaskOrders(const TaskAtHand& at, PlannerState& state, TargetSearch& search, PassOrders& pass);

    /// Stops the copy if it is reported, its node takes orders, and neither recovery nor the rule
    /// for strays protects it.
    void stop(const Copy& copy, Cause cause);
    /// Stops the copy that stays, and reserves a place for the ordinal on the target.
    void stop_first(Ordinal ordinal, NodeIndex target, Cause cause);
    /// False if this pass may start no more. The task is then planned again in the next pass.
    [[nodiscard]] bool may_start() const;
    void start(Ordinal ordinal, NodeIndex node, Cause cause);
    /// Reserves a place on the node for the ordinal until a leaving copy is gone. If no copy is
    /// leaving, as in a blocked roll-out, nothing is reserved.
    void defer(Ordinal ordinal, NodeIndex home);
    /// Copies of one ordinal are in the order of node indices, which must not affect the plan.
    void sort_by_name();

    /// A copy may still be added (S7).
    [[nodiscard]] bool has_room() const { return room_ > 0; }
    /// Some copy is leaving and will make room.
    [[nodiscard]] bool makes_room() const { return makes_room_; }
    /// Ordinals that were taken down and do not run again yet, judged by copies and homes.
    [[nodiscard]] std::uint32_t taken_down() const;
    /// This pass starts a copy of the task, or stops one to start it on another node.
    [[nodiscard]] bool has_begun() const { return has_begun_; }
    [[nodiscard]] bool empty() const { return pass_.all.size() == first_; }

private:
    void rehome(Ordinal ordinal, NodeIndex node);

    const TaskAtHand& at_;
    PlannerState& state_;
    TargetSearch& search_;
    PassOrders& pass_;
    std::size_t first_;       // The first order of this task.
    std::uint32_t room_ = 0;  // Copies that may still be added.
    bool makes_room_ = false;
    bool has_begun_ = false;
    // Ordinals that this pass takes down to start them elsewhere.
    std::uint32_t stopped_first_ = 0;
};

/// Why instances of the task at hand have no place, and what the task therefore waits for.
class Shortfall {
public:
    Shortfall(const TaskAtHand& at, TargetSearch& search) : at_{at}, search_{search} {}

    /// Adds instances that lack a place; 0 does nothing. Missing instances take precedence over
    /// outdated ones. The task is planned again when another node serves.
    void add(Obstacle code, std::uint32_t count);
    /// In recovery the number of instances of a task with every_node is not known.
    void add_unknown() {
        if (all_.empty()) {
            all_.push_back({Obstacle::recovering, 0});
        }
    }
    /// The task is planned again when another node serves. If room is short, also when some node
    /// has more.
    void wait_for_place();
    [[nodiscard]] const Shortages& all() const { return all_; }

private:
    const TaskAtHand& at_;
    TargetSearch& search_;
    Shortages all_;
};

}  // namespace muster::coordinator
