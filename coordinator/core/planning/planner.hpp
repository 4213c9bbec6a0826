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

/// Compares what is wanted with what is reported and orders the difference.
///
/// Per task, in the order of names: copies that are not wanted are stopped; each ordinal without a
/// copy is placed on the least loaded serving node that has fewer than `max_per_node`; what is on a
/// node that is to be left is started elsewhere first and then stopped there; copies of an older
/// generation are replaced one at a time, the new copy first where a node and `max_surge`
/// allow it, else in place within `max_unavailable`. A start is never ordered while copies that
/// are there, not proven gone and in flight would exceed `instances + max_surge` (S7).
///
/// Then, over all tasks, the balance: every serving node gets floor or ceil of the mean by the
/// fewest moves of running copies. All moves are decided at once and load counts them at once; they
/// are carried out as the budget of the pass, each instance's cooldown and each task's `max_surge`
/// allow: start at the target, and when it is reported
/// running, stop at the source. A decided move is kept until it is over; one whose target does not
/// come up keeps its source running, and shows.
///
/// Load is the number of instances whose home a node is: where the copy stays, or is ordered, or
/// its decided move leads. Ties are broken by name, never by index.
///
/// A pass costs as much as was touched since the last; nothing touched costs nothing. One whose
/// scope is less than what was touched is cut: the balance comes with the pass that ends it.
class Planner {
public:
    /// `held_back`: as in the scope of the first pass, if that has any.
    Planner(Workload& workload, Placements& placements,
            std::optional<Generation> held_back = std::nullopt);
    ~Planner();
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    /// Each order that leaves must be told to Placements::launched(); one that does not leave is
    /// planned again in the next pass.
    [[nodiscard]] Plan plan(const Scope& scope);

    /// The node did not obey the order to start this instance; or what it was to run, and had
    /// obeyed or reported, is not there any more, or not at all. It is not asked again at once.
    void failed(Instant now, const FailedInstance& what);
    /// The node was leaving, or is no more: nothing has vanished there.
    void clear_failures(NodeIndex node);
    /// What failed recently is as `other` knows it, which plans the same tasks and nodes.
    void learn_failures(const Planner& other);

    [[nodiscard]] TaskStatus status(TaskIndex task) const;
    /// Brings the totals up to the last report. With very many tasks touched, it takes several
    /// calls, and those that are left count as not settled.
    void refresh_totals();
    [[nodiscard]] bool are_totals_behind() const;
    /// Of all tasks, as of the last refresh_totals() or pass.
    [[nodiscard]] Totals totals() const;
    /// The same, in the order of codes; none with count 0.
    [[nodiscard]] std::span<const Shortage> shortages() const;
    /// A round closed: the tasks that became unplaced since the last are to be told.
    void on_round_closed();
    /// The next of them, in the order of names; so many at a time.
    [[nodiscard]] std::vector<TaskIndex> take_unplaced(std::size_t most);
    [[nodiscard]] bool is_unplaced_to_tell() const;
    [[nodiscard]] Effort effort() const;
    /// A task's copies, and a view in state `unplaced` for each ordinal without one; by ordinal. As
    /// long as one that ran on a lost node is not placed again, its state is `unknown`.
    [[nodiscard]] std::vector<InstanceView> instances_of(TaskIndex task) const;
    /// The first of the copies that stay which is in this state; of those that have exited, the
    /// first that did not end well. Nothing if none is.
    [[nodiscard]] std::optional<InstanceView> first_in(TaskIndex task, InstanceState state) const;
    /// What may still run on a node that is to be left, by name of task, then ordinal.
    [[nodiscard]] std::vector<Blocker> blocked_on(NodeIndex node) const;
    /// What keeps the instance on a node that it is to leave; none if it is not to, or goes.
    [[nodiscard]] Obstacle blocker_of(TaskIndex task, Ordinal ordinal) const;
    /// Of each wanted instance.
    [[nodiscard]] std::vector<InstanceLocation> locations(TaskIndex task) const;
    /// What keeps the instance from a place; none if it has one, or is about to get it.
    [[nodiscard]] Obstacle why_missing(TaskIndex task, Ordinal ordinal) const;
    /// The copy that stays; a view in state `unplaced` if there is none.
    [[nodiscard]] InstanceView instance(TaskIndex task, Ordinal ordinal) const;
    /// It failed on as many nodes as it is tried on.
    [[nodiscard]] bool is_given_up(TaskIndex task, Ordinal ordinal) const;
    /// Instances whose home the node is.
    [[nodiscard]] std::uint32_t load(NodeIndex node) const;
    /// What is taken of the node by the instances whose requests matter somewhere.
    [[nodiscard]] Use used(NodeIndex node) const;
    /// What is taken of each node is what its instances claim.
    [[nodiscard]] bool adds_up() const;
    [[nodiscard]] const Groups& groups() const;
    /// Each known node, in the order of names, for this ordinal of the task.
    [[nodiscard]] std::vector<NodeVerdict> verdicts(TaskIndex task, Ordinal ordinal) const;
    /// The first task by name that is short for this reason; nothing if none is.
    [[nodiscard]] std::optional<TaskIndex> first_short(Obstacle code) const;
    /// The names of tasks that are not converged: the first of them, so many at most.
    [[nodiscard]] std::vector<std::string> first_unconverged(std::size_t most) const;
    /// Tasks whose roll-out is halted, as of their last reading.
    [[nodiscard]] const std::set<TaskIndex>& halted() const;
    /// The first of them by name; nothing: there is none.
    [[nodiscard]] std::optional<TaskIndex> first_halted() const;

private:
    friend struct CoreFields;

    std::unique_ptr<PlannerState> state_;
};

}  // namespace muster::coordinator
