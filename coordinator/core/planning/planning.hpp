#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coordinator/core/liveness/freeze_control.hpp"
#include "coordinator/core/planning/convergence_tracker.hpp"
#include "coordinator/core/planning/counters.hpp"
#include "coordinator/core/planning/dispatch/commands.hpp"
#include "coordinator/core/planning/history.hpp"
#include "coordinator/core/planning/instants.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// What a round may still begin.
struct RoundBudget {
    std::uint32_t starts = 0;  ///< Begun in the running round.
    std::uint32_t moves = 0;
};

/// What a pass of the planner waits for.
struct PassTrigger {
    PlanReason due = PlanReason::none;
    bool may_plan = false;  ///< A round of this leadership has closed and was not cut short.
    bool balance_asked = false;
    bool is_cut = false;                ///< The last pass was.
    std::optional<Instant> goes_on_at;  ///< When that was, or when not all changes were told.
    Instant moves_from{};  ///< Before, nothing is moved for the balance unless an operator asks.
};

/// The decisions of the planner, kept to explain them.
struct DecisionLog {
    History history;    ///< The last orders. Bounded.
    Instants instants;  ///< Since when what is so is so, however long ago that was.
};

/// When a pass of the planner is due, what it may do, and what becomes of its orders.
///
/// A pass is due when a round closed, and for the tasks touched after a durable change or an exit
/// that was reported; not before a round of this leadership has closed that was not cut short.
class Planning {
public:
    Planning(Instant now, const CoordinatorOptions& options, const StoreImage& image,
             NodeRegistry& nodes, Copies& copies, const Table<StoredSetting>& settings);

    /// A round closed: what it may begin is counted from 0.
    void on_round_closed(const ClosedRound& closed);
    /// The task is on its way to what is wanted, and its arrival is told.
    void watch(const std::string& task) { tracker_.add(task); }
    /// An operator asks for a balance with the next round that closes.
    void ask_for_balance() { trigger_.balance_asked = true; }

    /// Takes in what handlers found of nodes and starts.
    void on_effects(Instant now, const Effects& effects);
    /// The next pass is due, for this reason at least.
    void plan_at_least(PlanReason reason) { trigger_.due = std::max(trigger_.due, reason); }
    /// What a pass may do, if one is due. One that was cut goes on when the core is woken: then
    /// what waits has been heard in between.
    [[nodiscard]] std::optional<Scope> due(Instant now, const Liveness& liveness, bool is_frozen,
                                           bool is_woken);
    /// No pass is due, and none waits for the first round to close.
    [[nodiscard]] bool is_idle() const {
        return trigger_.may_plan && trigger_.due == PlanReason::none && !trigger_.is_cut;
    }
    /// Leaves the pass that is due to the next wake.
    void put_off() { trigger_.is_cut = trigger_.due != PlanReason::none; }
    /// Plans, and sends what is ordered.
    void pass(StepContext& step, const Scope& scope, const Meta& meta);
    /// Tells what came of a round and of the tasks on their way.
    void announce(StepContext& step, const ClosedRound& closed);
    /// The core is woken: tells more of the tasks on their way, if not all were looked at.
    void announce_more(StepContext& step);
    /// A pass or the telling goes on at once: with so many tasks, other inputs come in between.
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return planner_.are_totals_behind() ? Instant{} : trigger_.goes_on_at;
    }
    /// Puts leases into the polls and starts that leave with this step.
    void grant_leases(StepContext& step, Epoch epoch);

    [[nodiscard]] const Planner& planner() const { return planner_; }
    /// Brings the planner's totals up to the last report, before they are read. It does nothing
    /// while the totals are brought up some tasks at a time: that is done when the core is woken.
    void refresh_totals() {
        if (!planner_.are_totals_behind()) {
            planner_.refresh_totals();
        }
    }
    [[nodiscard]] const History& history() const { return log_.history; }
    [[nodiscard]] const Instants& instants() const { return log_.instants; }
    [[nodiscard]] const Counters& counters() const { return counters_; }
    [[nodiscard]] const RoundBudget& begun() const { return begun_; }
    /// Moves of a round where operators set no limit.
    [[nodiscard]] std::uint32_t usual_moves() const;

private:
    friend struct CoreFields;

    void dispatch(StepContext& step, const Plan& plan, const Meta& meta);
    void emit_changes(StepContext& step);
    void watch_unplaced();
    void note_what_is_left(Instant now);

    /// A new leadership does not know how long instances have been where they are, and a restart is
    /// no reason to move them.
    [[nodiscard]] Rebalance rebalance_at(Instant now) const;

    const CoordinatorOptions& options_;
    NodeRegistry& nodes_;
    Copies& copies_;
    const Table<StoredSetting>& settings_;
    Planner planner_;
    Commands commands_;
    ConvergenceTracker tracker_;
    DecisionLog log_;
    Counters counters_;
    RoundBudget begun_;
    PassTrigger trigger_;
    std::string round_summary_;  // What came of the last one.
};

}  // namespace muster::coordinator
