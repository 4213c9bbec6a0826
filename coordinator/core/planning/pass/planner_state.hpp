#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "coordinator/core/planning/index/candidates.hpp"
#include "coordinator/core/planning/index/groups.hpp"
#include "coordinator/core/planning/index/homes.hpp"
#include "coordinator/core/planning/index/label_values.hpp"
#include "coordinator/core/planning/index/reserved.hpp"
#include "coordinator/core/planning/index/troubles.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/planning/pass/types.hpp"
#include "coordinator/core/workload/placements.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// What the planner remembers from round to round.
struct PlannerState {
    /// Of one task.
    struct PerTask {
        TaskStatus status;           ///< As of the last reading; part of the totals.
        std::uint32_t decided = 0;   ///< Moves decided and not yet ordered.
        std::uint32_t movable = 0;   ///< Ordinals that a balance could move.
        ClassIndex asks{};           ///< What it asks of its nodes.
        bool known = false;          ///< `status` is part of the totals.
        bool dirty = false;          ///< To be planned.
        bool stale = false;          ///< `status` is older than the last report.
        bool waiting = false;        ///< To be planned when another node serves.
        bool parked = false;         ///< To be planned when recovery is over.
        bool frozen = false;         ///< To be planned when the freeze is over.
        bool mover = false;          ///< Its decided moves are to be looked at.
        bool ordered = false;        ///< This round gave orders for it.
        bool unplaced = false;       ///< It became so, and nobody took that in.
        bool short_of_room = false;  ///< To be planned when some node has more room.
        bool claims = false;         ///< What it takes of its nodes is kept in `reserved`.
        bool ruled = false;          ///< Counted in `ruled_tasks`.
        bool prior = false;          ///< Counted in `prior_tasks`.
    };
    using Flag = bool PerTask::*;
    using Moves = std::map<std::pair<TaskIndex, Ordinal>, NodeIndex>;

    PlannerState(Workload& workload_of, Placements& placements_of)
        : workload{workload_of}, placements{placements_of} {}

    [[nodiscard]] PerTask& of(TaskIndex task);
    /// Puts the task on the list, once.
    void mark(std::vector<TaskIndex>& list, Flag flag, TaskIndex task);
    /// Empties the list, and gives the tasks that still have a name, in the order of names.
    [[nodiscard]] std::vector<TaskIndex> take(std::vector<TaskIndex>& list, Flag flag);
    /// Takes in what changed since the last call.
    void absorb();
    /// The same of nodes: which there are, which serve and what they offer.
    void absorb_nodes();
    /// What this round has to look at, as far as its scope goes; the rest stays on the list.
    [[nodiscard]] std::vector<TaskIndex> take_due(const Scope& scope);

    /// Reads the task and gives each ordinal the home that its copies and moves say.
    void refresh_homes(TaskIndex index);
    /// Brings status and totals up to date with `reading`, which is of this task.
    void record(TaskIndex index, std::span<const Shortage> shortages);
    void record_stale();
    /// Why instances are missing: as the last round found, or as recovery says, before the first.
    [[nodiscard]] std::span<const Shortage> shortages_of(TaskIndex index);
    /// The code of what this instance is short of; empty if it has, or is about to get, a place.
    [[nodiscard]] std::string_view why_missing(TaskIndex index, Ordinal ordinal);
    /// The end of the task's part of a round: it is looked at again if it was given orders, and its
    /// index is given free if nothing is left of it.
    void finish(TaskIndex index);

    /// Gives the ordinals of a task of every node to the nodes that there are.
    void bind_every_node(TaskIndex index, const Scope& scope);
    /// The task is looked at again then.
    void wake_at(Instant at, TaskIndex index) { wakes.emplace(at, index); }
    /// Nothing blocks the task's instances on nodes that are to be left, as far as is known.
    void unblock(TaskIndex index);
    /// Takes in the task's rule of placement.
    void classify(TaskIndex index);
    /// `reading` is of this task.
    void restate_claims(TaskIndex index);
    void restate_group(TaskIndex index);
    void set_home(TaskIndex index, Ordinal ordinal, NodeIndex node);
    [[nodiscard]] bool has_copy(TaskIndex index, Ordinal ordinal, NodeIndex node) const;
    /// If some node has more room than in the last round, those that lack room are due, too.
    void add_short_of_room(std::vector<TaskIndex>& due);
    /// By priority, then name.
    void sort_due(std::vector<TaskIndex>& due) const;
    [[nodiscard]] const LabelValues& values_of(const std::string& key);
    /// Every instance may run on every serving node that is not full: an even spread can be had.
    [[nodiscard]] bool is_uniform() const;

    /// Of an ordinal without a copy.
    [[nodiscard]] InstanceView view_of_missing(TaskIndex index, Ordinal ordinal);

    /// Load counts the move at once. What it takes of its target it takes when it begins: what
    /// is wanted and runs nowhere may come first.
    void decide(TaskIndex task, Ordinal ordinal, NodeIndex target);
    [[nodiscard]] bool is_to_move(TaskIndex index, Ordinal ordinal) const;
    /// Its target has room for it, and is not the fuller node of the two.
    [[nodiscard]] bool is_worth_it(const Moves::value_type& move) const;
    /// The room of the target, and its group; until it is given up or the task is read anew.
    void take_place(TaskIndex index, NodeIndex target);
    void give_up_place(TaskIndex index, NodeIndex target);
    /// The decided move is off; its instance stays where it is.
    Moves::iterator revoke(Moves::iterator move);
    void revoke_moves();
    void revoke_moves(TaskIndex index);
    /// Those of the task that have begun, or cannot any more.
    void revoke_void_moves(TaskIndex index);
    /// Those of the task whose target was given to another instance, which came first.
    void revoke_crowded_moves(TaskIndex index);
    /// A home, a copy that may be moved or the set of serving nodes changed since an even spread
    /// was sought last. What could not be had then cannot be had now otherwise.
    [[nodiscard]] bool is_balance_due() const {
        return may_be_evener || homes.version() != balanced_homes;
    }
    void balance_sought();
    /// It runs as wanted and may be moved, if it is the one that stays.
    [[nodiscard]] bool is_movable(const Task& task, const Copy& stay) const;
    /// The copy of the ordinal that stays, if it runs as wanted and may be moved.
    [[nodiscard]] const Copy* movable(TaskIndex index, Ordinal ordinal) const;
    /// Orders those of the decided moves that the tasks' max_surge, the cooldown of the instances
    /// and the budget have room for. Tasks take turns.
    void carry_out_moves(const Scope& scope, std::vector<Order>& orders);

    Workload& workload;
    Placements& placements;
    Homes homes;
    Reserved reserved;
    Groups groups;
    Candidates candidates{placements, homes, reserved};
    Tally<NodeIndex> occupancy;                // Of the task at hand.
    Tally<NodeIndex> at_home;                  // Of the task at hand.
    Tally<NodeIndex> staying;                  // Of the task at hand: copies that are to stay.
    Reading reading;                           // Of the task at hand.
    std::optional<std::uint32_t> starts_left;  // In this round; nothing: no limit.
    std::optional<Generation> held_back;       // Until the first round: as it is to be in that.
    std::vector<PerTask> tasks;
    std::vector<TaskIndex> dirty;
    std::vector<TaskIndex> stale;
    std::vector<TaskIndex> waiting;
    std::vector<TaskIndex> short_of_room;
    std::vector<TaskIndex> parked;
    std::vector<TaskIndex> frozen;
    std::vector<TaskIndex> movers;          // To be put into the queue,
    std::deque<TaskIndex> moving_in_turns;  // which is this. A task is in one of them.
    /// Instances that were moved of late and until when they rest; and the same by time.
    std::map<std::pair<TaskIndex, Ordinal>, Instant> resting;
    std::deque<std::pair<Instant, std::pair<TaskIndex, Ordinal>>> rests;
    Moves moves;  // Decided and not yet ordered, with their targets.
    /// Missing instances whose home is decided, but a copy that leaves is still in the way; and the
    /// lost node where they ran, or Homes::none.
    std::map<std::pair<TaskIndex, Ordinal>, NodeIndex> deferred;
    Troubles troubles;
    /// Instances of lost nodes, since when, if their tasks wait for those nodes.
    std::map<std::pair<TaskIndex, Ordinal>, Instant> out_of_sight;
    std::set<std::pair<Instant, TaskIndex>> wakes;  // When tasks are to be looked at again.
    /// Instances that are to leave their node and cannot yet, with the reason.
    std::map<std::pair<TaskIndex, Ordinal>, std::string_view> blocked;
    std::set<TaskIndex> short_tasks;  // Whose status has a shortage.
    std::vector<TaskIndex> unplaced;  // Became so since they were taken last.
    std::uint64_t names_version = 0;
    std::uint64_t room_falls = 0;                      // As of the last round.
    std::map<std::string, LabelValues> label_columns;  // Of the keys that tasks spread over.
    std::uint32_t ruled_tasks = 0;                     // That some nodes may not suit.
    std::uint32_t prior_tasks = 0;                     // With a priority other than 0.
    bool wakes_waiting = false;                        // Some offer changed.
    std::uint64_t balanced_homes = 0;  // Their version when an even spread was sought last.
    bool may_be_evener = false;        // Something else changed since.
    Effort effort;
    Totals totals;

private:
    void absorb_offers();
    void touch_all_on(NodeIndex node);
    void queue_movers();
    void end_rests(Instant now);
    void carry_out_moves(TaskIndex index, const Scope& scope, std::uint32_t& budget,
                         std::vector<Order>& orders);
    void add_to_totals(const PerTask& task, std::uint64_t sign);
    void add_shortage(const Shortage& shortage, bool adds);
};

}  // namespace muster::coordinator
