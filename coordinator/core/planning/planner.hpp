#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "coordinator/core/effects.hpp"
#include "coordinator/core/planning/index/groups.hpp"
#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

struct PlannerState;

/// Compares what is wanted with what is reported, and orders the difference.
///
/// For each task, in the order of names: copies that are not wanted are stopped. Each ordinal
/// without a copy is placed on the least loaded serving node that has fewer than `max_per_node`.
/// Instances on an evacuated node start elsewhere first and are then stopped there. Copies of an
/// older generation are replaced one at a time, the new copy first where a node and `max_surge`
/// allow it, otherwise in place within `max_unavailable`. A start is never ordered if existing
/// copies, copies not proven gone and starts in flight would then exceed `instances + max_surge`
/// (S7).
///
/// Then comes the balance over all tasks: every serving node gets floor or ceil of the mean by the
/// fewest moves of running copies. All moves are decided in one pass, and loads count them at once.
/// The budget of the pass, each instance's cooldown and each task's `max_surge` limit how many
/// begin. A move starts a copy on the target and, once that copy is reported running, stops the one
/// on the source. A decided move is kept until it is complete. If the target does not come up, the
/// source keeps running, and queries show the move.
///
/// The load of a node is the number of instances whose home it is: the node of the copy that stays
/// or is ordered, or the target of a decided move. Ties are broken by name, never by index.
///
/// The cost of a pass depends on what was touched since the last one. A pass whose scope is too
/// small for all touched tasks is cut: the balance comes with the pass that completes it.
class Planner {
public:
    /// `held_back`: as in the scope of the first pass.
    Planner(Workload& workload, Placements& placements,
            std::optional<Generation> held_back = std::nullopt);
    ~Planner();
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    /// The caller passes each order that it sends to OrdersInFlight::launched(). An order that is
    /// not sent is planned again in the next pass.
    [[nodiscard]] Plan plan(const Scope& scope);

    /// The node refused to start this instance, or the instance vanished from it. The node is not
    /// tried again at once.
    void failed(Instant now, const FailedInstance& what);
    /// The node left or was removed: nothing vanished there.
    void clear_failures(NodeIndex node);
    /// Copies the recent failures from `other`, which plans the same tasks and nodes.
    void learn_failures(const Planner& other);

    [[nodiscard]] TaskStatus status(TaskIndex task) const;
    /// Updates the totals to the last report. With very many touched tasks this takes several
    /// calls; the other tasks count as not converged meanwhile.
    void refresh_totals();
    [[nodiscard]] bool are_totals_behind() const;
    /// Totals over all tasks, as of the last refresh_totals() or pass.
    [[nodiscard]] Totals totals() const;
    /// Shortages over all tasks, in the order of codes, without zero counts.
    [[nodiscard]] std::span<const Shortage> shortages() const;
    /// A round closed: the tasks that became unplaced before are due for an event.
    void on_round_closed();
    /// Takes the next of these tasks, at most `most`, in the order of names.
    [[nodiscard]] std::vector<TaskIndex> take_unplaced(std::size_t most);
    [[nodiscard]] bool has_unplaced_due() const;
    [[nodiscard]] Effort effort() const;
    /// A task's copies by ordinal, with a view in state `unplaced` for each ordinal without one. An
    /// instance of a lost node that is not placed again has state `unknown`.
    [[nodiscard]] std::vector<InstanceView> instances_of(TaskIndex task) const;
    /// The first copy in this state, of the copies that stay. For `exited`: the first that did not
    /// end well. Nothing if there is none.
    [[nodiscard]] std::optional<InstanceView> first_in(TaskIndex task, InstanceState state) const;
    /// Instances that may still run on an evacuated node, by name of task, then ordinal.
    [[nodiscard]] std::vector<Blocker> blocked_on(NodeIndex node) const;
    /// What keeps the instance on a node that it must leave; none if it need not leave, or is
    /// leaving.
    [[nodiscard]] Obstacle blocker_of(TaskIndex task, Ordinal ordinal) const;
    /// The location of each wanted instance.
    [[nodiscard]] std::vector<InstanceLocation> locations(TaskIndex task) const;
    /// Why the instance has no place; none if it has one, or will get one.
    [[nodiscard]] Obstacle why_missing(TaskIndex task, Ordinal ordinal) const;
    /// The copy that stays; a view in state `unplaced` if there is none.
    [[nodiscard]] InstanceView instance(TaskIndex task, Ordinal ordinal) const;
    /// The instance failed on as many nodes as are tried.
    [[nodiscard]] bool is_given_up(TaskIndex task, Ordinal ordinal) const;
    /// Instances whose home the node is.
    [[nodiscard]] std::uint32_t load(NodeIndex node) const;
    /// What instances reserve of the node, as far as claims are kept.
    [[nodiscard]] Use used(NodeIndex node) const;
    /// True if the use of each node equals the claims of its instances.
    [[nodiscard]] bool is_consistent() const;
    [[nodiscard]] const Groups& groups() const;
    /// The verdict on each known node, in the order of names, for this ordinal of the task.
    [[nodiscard]] std::vector<NodeVerdict> verdicts(TaskIndex task, Ordinal ordinal) const;
    /// The first task by name with this shortage; nothing if there is none.
    [[nodiscard]] std::optional<TaskIndex> first_short(Obstacle code) const;
    /// The first names of tasks that have not converged, at most `most`.
    [[nodiscard]] std::vector<std::string> first_unconverged(std::size_t most) const;
    /// Tasks whose roll-out is halted, as of their last reading.
    [[nodiscard]] const std::set<TaskIndex>& halted() const;
    /// The first of these tasks by name; nothing if there is none.
    [[nodiscard]] std::optional<TaskIndex> first_halted() const;

private:
    friend struct CoreFields;

    std::unique_ptr<PlannerState> state_;
};

}  // namespace muster::coordinator
