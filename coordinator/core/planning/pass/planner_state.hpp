#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/planning/pass/move_queue.hpp"
#include "coordinator/core/planning/pass/moves.hpp"
#include "coordinator/core/planning/pass/retry.hpp"

namespace muster::coordinator {

/// Instances that are not where they are to be, as passes found them.
struct InstanceNotes {
    /// Missing ones whose home is decided, but a copy that leaves is still in the way; and the lost
    /// node where they ran, or Homes::none.
    ByInstance<NodeIndex> deferred;
    /// Of lost nodes, since when, if their tasks wait for those nodes.
    ByInstance<Instant> on_lost_nodes;
    /// Those that are to leave their node and cannot yet, and what keeps them.
    ByInstance<Obstacle> blocked;
};

/// Of the one task that is looked at, its reading and counts by node; kept only because they are
/// large.
struct Scratch {
    Reading reading;
    Tally<NodeIndex> copies;   ///< Where copies are, or are to be by orders of this pass.
    Tally<NodeIndex> at_home;  ///< Where instances are at home.
    Tally<NodeIndex> staying;  ///< Where copies are that stay.
};

/// What the planner remembers from pass to pass: parts of one duty each, the later of which know
/// the earlier ones. Here is what touches several of them.
struct PlannerState {
    PlannerState(Workload& workload_of, Placements& placements_of,
                 std::optional<Generation> held_back);

    /// Takes in what changed of tasks since the last call.
    void absorb();
    /// The same of nodes: which there are, which serve and what they offer.
    void absorb_nodes();
    /// Reads the task and gives each ordinal the home that its copies and moves say. Gives how many
    /// have no copy.
    std::uint32_t refresh_homes(TaskIndex index);
    /// If some node has more room than in the last pass, those that lack room are due, too.
    void add_short_of_room(std::vector<TaskIndex>& due);
    /// Brings status and totals up to date with `reading`, which is of this task.
    void record(TaskIndex index, std::span<const Shortage> shortages);
    void record_stale();
    /// The end of the task's part of a pass: its index is given free if nothing is left of it.
    void release_if_over(TaskIndex index);

    /// What keeps this instance from a place; none if it has one, or is about to get it.
    [[nodiscard]] Obstacle why_missing(TaskIndex index, Ordinal ordinal) const;
    /// Of an ordinal without a copy.
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

private:
    /// True: some offer changed.
    bool absorb_offers();
};

}  // namespace muster::coordinator
