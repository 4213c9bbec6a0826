#pragma once

#include <optional>
#include <span>

#include "common/base/limits.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// The task that a pass is planning: what is wanted and reported, and what it may do now. Only the
/// homes of its instances change meanwhile.
class TaskAtHand {
public:
    /// What a task may do in recovery.
    enum class Rights : std::uint8_t { none, replace_in_place, all };

    /// The reading of the scratch is of this task.
    TaskAtHand(TaskIndex of, const Scope& pass_scope, PlannerState& state);

    [[nodiscard]] bool has_all_rights() const { return rights == Rights::all; }
    [[nodiscard]] const Slot& slot(Ordinal ordinal) const { return reading.slots[ordinal]; }
    /// The copy of the ordinal that stays; null if there is none.
    [[nodiscard]] const Copy* kept(Ordinal ordinal) const { return slot(ordinal).kept; }
    [[nodiscard]] std::span<const Copy> copies_of(const Slot& slot) const {
        return reading.copies.subspan(slot.first, slot.last - slot.first);
    }
    [[nodiscard]] NodeIndex home(Ordinal ordinal) const { return homes_[ordinal]; }
    [[nodiscard]] bool is_home_counted(Ordinal ordinal) const {
        return placements.nodes().is_counted(home(ordinal));
    }
    /// True if its node is lost, and it has no place since.
    [[nodiscard]] bool was_lost(Ordinal ordinal) const {
        return home(ordinal) != Homes::none && !is_home_counted(ordinal);
    }
    [[nodiscard]] bool is_to_move(Ordinal ordinal) const {
        return state_.places.is_to_move(index, ordinal);
    }
    /// The node is not full.
    [[nodiscard]] bool has_place(NodeIndex node) const {
        return state_.places.loads().of(node) < limits::instances_per_node;
    }
    /// What the node lacks for one more instance.
    [[nodiscard]] Obstacle why_no_room(NodeIndex node) const;
    /// Every serving node that is not full suits the task.
    [[nodiscard]] bool suits_all_nodes() const {
        return state_.requirements.candidates().is_trivial(state_.requirements.of(index));
    }
    /// Why instances of this task must leave the node: it is evacuated, or does not suit the task.
    [[nodiscard]] std::optional<Evacuation> why_leave(NodeIndex node) const;

    /// True if an unseen copy may still run under its lease. The task is planned again when the
    /// lease ends.
    [[nodiscard]] bool is_leased(Ordinal ordinal) const;
    /// True if the lease of the node allows a start. Otherwise the next pass checks again.
    [[nodiscard]] bool may_lease(NodeIndex node) const;
    /// Plans the task again when the pauses after refusals end.
    void wake_for(const FailureRecord& failed) const;

    const TaskIndex index;
    const Task& task;
    const Scope& scope;
    const Placements& placements;
    const Reading& reading;
    const Rights rights;
    DueTasks& due;

private:
    const PlannerState& state_;
    std::span<const NodeIndex> homes_;  // By ordinal.
};

}  // namespace muster::coordinator
