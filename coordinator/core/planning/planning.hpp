#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/liveness/freeze_control.hpp"
#include "coordinator/core/planning/convergence_tracker.hpp"
#include "coordinator/core/planning/counters.hpp"
#include "coordinator/core/planning/dispatch/commands.hpp"
#include "coordinator/core/planning/history.hpp"
#include "coordinator/core/planning/instants.hpp"
#include "coordinator/core/workload/copies.hpp"

namespace muster::coordinator {

/// What the open round has begun.
struct RoundBudget {
    std::uint32_t starts = 0;  ///< Starts in the open round.
    std::uint32_t moves = 0;
};

/// When a pass of the planner is due.
struct PassTrigger {
    PlanReason due = PlanReason::none;
    bool may_plan = false;  ///< A round of this leadership has closed normally.
    bool balance_asked = false;
    bool is_cut = false;                  ///< The last pass was cut.
    std::optional<Instant> continues_at;  ///< When a pass was cut, or events are left.
    Instant moves_from{};  ///< Before this, the balance moves nothing unless an operator asks.
};

/// Decisions of the planner, kept for explain.
struct DecisionLog {
    History history;    ///< The last orders. Bounded.
    Instants instants;  ///< When present states began.
};

/// Decides when a pass of the planner is due and what it may do, and sends its orders.
///
/// A pass is due when a round closed. For touched tasks it is also due after a durable change or a
/// reported exit. No pass runs before a round of this leadership has closed normally.
class Planning {
public:
    Planning(Instant now, const CoordinatorOptions& options, const StoreImage& image,
             NodeRegistry& nodes, Copies& copies, const Ledger& ledger);

    /// A round closed: starts and moves are counted from 0 again.
    void on_round_closed(const ClosedRound& closed);
    /// Watches the changed task, so that an event reports when it converges.
    void watch(const std::string& task) { tracker_.add_changed(task); }
    /// An operator asks for a balance when the next round closes.
    void ask_for_balance() { trigger_.balance_asked = true; }

    /// Applies what handlers found about nodes and starts.
    void on_effects(Instant now, const Effects& effects);
    /// Makes a pass due, for at least this reason.
    void plan_at_least(PlanReason reason) { trigger_.due = std::max(trigger_.due, reason); }
    /// What a pass may do, if one is due. A pass that was cut continues at a wake, so that waiting
    /// inputs are handled in between.
    [[nodiscard]] std::optional<Scope> due(Instant now, const Liveness& liveness, bool is_frozen,
                                           bool is_woken);
    /// No pass is due, and none waits for the first round to close.
    [[nodiscard]] bool is_idle() const {
        return trigger_.may_plan && trigger_.due == PlanReason::none && !trigger_.is_cut;
    }
    /// Delays the due pass to the next wake.
    void put_off() { trigger_.is_cut = trigger_.due != PlanReason::none; }
    /// Runs a pass, and sends its orders.
    void pass(StepContext& step, const Scope& scope, const Meta& meta);
    /// Emits events about a closed round and about watched tasks.
    void announce(StepContext& step, const ClosedRound& closed);
    /// At a wake: emits events about more watched tasks, if not all were checked.
    void announce_more(StepContext& step);
    /// When a cut pass, or events about watched tasks, must continue. Other inputs may come in
    /// between.
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return planner_.are_totals_behind() ? Instant{} : trigger_.continues_at;
    }
    /// Sets the leases in the polls and starts of this step.
    void grant_leases(StepContext& step, Epoch epoch);

    [[nodiscard]] const Planner& planner() const { return planner_; }
    /// Updates the planner's totals before they are read. Does nothing while wakes update them some
    /// tasks at a time.
    void refresh_totals() {
        if (!planner_.are_totals_behind()) {
            planner_.refresh_totals();
        }
    }
    [[nodiscard]] const History& history() const { return log_.history; }
    [[nodiscard]] const Instants& instants() const { return log_.instants; }
    [[nodiscard]] const Counters& counters() const { return counters_; }
    [[nodiscard]] const RoundBudget& begun() const { return begun_; }
    /// Moves of a round if operators set no limit.
    [[nodiscard]] std::uint32_t usual_moves() const;

private:
    friend struct CoreFields;

    void dispatch(StepContext& step, const Plan& plan, const Meta& meta);
    void emit_changes(StepContext& step);
    void watch_unplaced();
    void note_what_is_left(Instant now);

    /// A new leadership does not know how long instances have been on their nodes, and a restart is
    /// not a reason to move them.
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
    std::string round_summary_;  // The summary of the last round.
};

}  // namespace muster::coordinator
