#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/core/planning/tasks/target_search.hpp"

namespace muster::coordinator {

/// What a pass gives out.
struct PassOrders {
    std::vector<Order> all;
    std::optional<std::uint32_t> starts_left;  ///< Nothing: no limit.
};

/// The orders for the task at hand, within instances + max_surge (S7).
class TaskOrders {
public:
    TaskOrders(const TaskAtHand& at, PlannerState& state, TargetSearch& search, PassOrders& pass);

    /// If it is there, may be ordered about, and is not spared by recovery or as a stray.
    void stop(const Copy& copy, Cause cause);
    /// Stops the copy that stays, and keeps a place for the ordinal at the target.
    void stop_first(Ordinal ordinal, NodeIndex target, Cause cause);
    /// False, and the task is looked at again, once this pass has started all that it may.
    [[nodiscard]] bool may_start() const;
    void start(Ordinal ordinal, NodeIndex node, Cause cause);
    /// The ordinal keeps a place on the node until a copy that leaves is gone. Where nothing
    /// leaves, as in a roll-out that cannot go on, nothing is kept from other tasks.
    void defer(Ordinal ordinal, NodeIndex home);
    /// Copies of one ordinal lie in the order of node indices, which must not reach the plan.
    void sort_by_name();

    /// A copy may yet be added (S7).
    [[nodiscard]] bool has_room() const { return room_ > 0; }
    /// Some copy is leaving: room is to come.
    [[nodiscard]] bool makes_room() const { return makes_room_; }
    /// Ordinals that were taken down and do not run again yet, as far as copies and homes tell.
    [[nodiscard]] std::uint32_t taken_down() const;
    [[nodiscard]] bool empty() const { return pass_.all.size() == first_; }

private:
    void rehome(Ordinal ordinal, NodeIndex node);

    const TaskAtHand& at_;
    PlannerState& state_;
    TargetSearch& search_;
    PassOrders& pass_;
    std::size_t first_;       // Of its orders.
    std::uint32_t room_ = 0;  // Copies that may yet be added.
    bool makes_room_ = false;
    std::uint32_t stopped_first_ = 0;  // Ordinals taken down by this pass, to start elsewhere.
};

/// Why instances of the task at hand have no place, and what the task waits for therefore.
class Shortfall {
public:
    Shortfall(const TaskAtHand& at, TargetSearch& search) : at_{at}, search_{search} {}

    /// So many lack a place; none: nothing happens. One without a home is said before one that is
    /// not of the wanted generation. The task is looked at again when another node serves.
    void add(Obstacle code, std::uint32_t count);
    /// In recovery it is not known how many instances a task of every node has.
    void add_unknown() {
        if (all_.empty()) {
            all_.push_back({Obstacle::recovering, 0});
        }
    }
    /// Looks again when another node serves, and where room is short, when some node has more.
    void wait_for_place();
    [[nodiscard]] const Shortages& all() const { return all_; }

private:
    const TaskAtHand& at_;
    TargetSearch& search_;
    Shortages all_;
};

}  // namespace muster::coordinator
