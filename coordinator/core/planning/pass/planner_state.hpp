#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/planning/pass/move_queue.hpp"
#include "coordinator/core/planning/pass/moves.hpp"
#include "coordinator/core/planning/pass/retry.hpp"

namespace muster::coordinator {

/// Instances that are not on their planned node, as passes found them.
struct InstanceNotes {
    /// Missing instances whose home is decided, but a leaving copy still blocks them; with the lost
    /// node where they ran, or Homes::none.
    ByInstance<NodeIndex> deferred;
    /// Instances of lost nodes, with the time of the loss, if their tasks wait for those nodes.
    ByInstance<Instant> on_lost_nodes;
    /// Instances that must leave their node and cannot yet, with their obstacle.
    ByInstance<Obstacle> blocked;
};

/// The reading and the counts of the task that is being planned. Kept only because they are large.
struct Scratch {
    Reading reading;
    Tally<NodeIndex> copies;      ///< Nodes of copies, including those ordered in this pass.
    Tally<NodeIndex> at_home;     ///< Homes of instances.
    Tally<NodeIndex> kept_nodes;  ///< Nodes of copies that stay.
};

/// The state of the planner between passes. Each part has one duty, and later parts use earlier
/// ones. The functions here touch several parts.
struct PlannerState {
    PlannerState(Workload& workload_of, Placements& placements_of,
                 std::optional<Generation> held_back);

    /// Applies changes of tasks since the last call.
    void apply_changes();
    /// Applies changes of nodes: which exist, which serve and what they offer.
    void apply_node_changes();
    /// Reads the task and sets the home of each ordinal by its copies and moves. Returns how many
    /// ordinals have no copy.
    std::uint32_t refresh_homes(TaskIndex index);
    /// Once a recovery is over, the homes of all tasks are counted before an instance is placed:
    /// otherwise nodes with instances of tasks for later passes would seem to be empty. True: this
    /// pass does only that.
    [[nodiscard]] bool counts_homes(const Scope& scope);
    /// If some node has more room than in the last pass, tasks that lack room are also due.
    void add_short_of_room(std::vector<TaskIndex>& due);
    /// Updates status and totals from `reading`, which is of this task.
    void record(TaskIndex index, std::span<const Shortage> shortages);
    void record_stale();
    /// Called when a pass is done with the task: releases its index if nothing is left of it.
    void release_if_over(TaskIndex index);

    /// Why this instance has no place; none if it has one, or will get one.
    [[nodiscard]] Obstacle why_missing(TaskIndex index, Ordinal ordinal) const;
    /// How often its start was refused, and the last reason. Empty: never.
    [[nodiscard]] std::string refusals_of(TaskIndex index, Ordinal ordinal) const;
    /// The view of a copy; if it is outdated, with why it was not replaced.
    [[nodiscard]] InstanceView view_of_copy(TaskIndex index, const Copy& copy) const;
    /// The view of an ordinal without a copy.
    [[nodiscard]] InstanceView view_of_missing(TaskIndex index, Ordinal ordinal) const;

    Workload& workload;
    Placements& placements;
    Places places;
    Requirements requirements;
    DueTasks due;
    TaskStatuses statuses;
    RecentFailures failures;
    InstanceNotes notes;
    Moves moves;
    MoveQueue move_queue;
    Scratch scratch;
    std::uint64_t names_version = 0;
    bool is_held_back = false;  ///< The last pass was in a recovery.
    TaskList uncounted;         ///< Since a recovery.

private:
    /// True: some offer changed.
    bool apply_offer_changes();
};

}  // namespace muster::coordinator
