#pragma once

#include <optional>

#include "coordinator/core/planning/index/candidates.hpp"
#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/tasks/task_at_hand.hpp"

namespace muster::coordinator {

/// Finds nodes for the instances of the task at hand.
class TargetSearch {
public:
    TargetSearch(const TaskAtHand& at, PlannerState& state);

    /// The node with the least score among those that may take a copy of the ordinal now.
    [[nodiscard]] std::optional<NodeIndex> find(Ordinal ordinal, Loads::Cursor& cursor);
    /// A home for an ordinal that cannot start yet, with all other instances counted at their
    /// homes.
    [[nodiscard]] std::optional<NodeIndex> find_home(Ordinal ordinal);
    /// The instance gets a copy on `to`. Its home was `from`.
    void on_placed(NodeIndex from, NodeIndex to);
    /// True if the node has no copy of the task.
    [[nodiscard]] bool is_free_of_it(NodeIndex node) const {
        return state_.scratch.copies.of(node) == 0;
    }

    /// Why no node has a place.
    [[nodiscard]] Obstacle why_none();
    /// Why find() found no node: it may have skipped nodes that fit.
    [[nodiscard]] Obstacle why_not_found() {
        return held_off_ ? Obstacle::refused : has_no_lease_ ? Obstacle::lease : why_none();
    }
    [[nodiscard]] bool is_held_off() const { return held_off_; }
    [[nodiscard]] bool has_no_lease() const { return has_no_lease_; }

private:
    void count_homes();

    const TaskAtHand& at_;
    PlannerState& state_;
    const ClassIndex asks_;
    std::optional<Choice> choice_;  // If the first fitting node need not be the best.
    Loads::Cursor homes_from_;      // The position of the search for homes.
    bool homes_counted_ = false;    // In the scratch.
    bool held_off_ = false;         // Some node was skipped that refused it or where it failed,
    bool has_no_lease_ = false;     // or that has no usable lease stamp.
};

}  // namespace muster::coordinator
