#pragma once

#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "coordinator/core/effects.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/memory.hpp"
#include "coordinator/core/operators/operators.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/reports/reports.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The rooms of the core, and how a step goes through them.
class Rooms {
public:
    Rooms(Instant now, CoordinatorOptions options, const StoreImage& image);

    [[nodiscard]] Output step(Instant now, const Input& input);
    /// Of a coordinator that does not lead: answers what is read.
    [[nodiscard]] Output step_standing_by(Instant now, const Input& input);
    void set(const CivilClock& clock) { in_.clock = clock; }
    [[nodiscard]] Instant next_deadline() const;
    [[nodiscard]] const Memory& memory() const { return in_; }
    /// A large change is not complete, or not all durable writes are in effect yet.
    [[nodiscard]] bool has_incomplete_change() const;

private:
    friend struct CoreFields;

    // ---- inputs ----
    void on(StepContext& step, const FromAgent& input, Effects& effects);
    void on(StepContext& step, const SessionClosed& input, Effects& effects);
    void on(StepContext& step, const Undecodable& input, Effects& effects);
    void on(StepContext& step, const FromOperator& input, Effects& effects);
    void on(StepContext& step, const Denied& input, Effects& effects);
    void on(StepContext& step, const Persisted& input, Effects& effects);
    void on(StepContext& step, const StoreFailed& input, Effects& effects);
    void on(StepContext& step, const OwnSockets& input, Effects& effects);
    void on(StepContext& step, const CivilTime& input, Effects& effects);
    void on(StepContext& step, const OutsideAnswer& input, Effects& effects);
    void on(StepContext& step, const Wake& input, Effects& effects);

    // ---- durable writes, to the owners of the rows ----
    /// Takes over as many rows as one step has time for.
    void apply_durable(StepContext& step, Effects& effects);
    void end_leadership(StepContext& step, std::string why);
    void apply_write(StepContext& step, const PendingWrite& write, Effects& effects);
    void apply_tasks(StepContext& step, const PendingWrite& write, Effects& effects);
    void apply_keys(StepContext& step, const Change& change, Effects& effects);
    void apply_secrets(StepContext& step, const Change& change);
    void apply_store(StepContext& step, const Change& change);
    void put(const StoredTask& row);
    void apply_setting(StepContext& step, const StoredSetting& row);

    // ---- after the input of a step ----
    /// Handles a deadline that passed. True: the row of the node must be erased.
    [[nodiscard]] bool on_due(StepContext& step, const Deadlines::Due& due);
    void on_drain_overdue(StepContext& step, NodeIndex index);
    /// Ends the rule about proofs if this leadership has no key.
    void keep_proof_rule(StepContext& step);
    /// Begins the rule once the agents of all nodes keep proofs, except those of lost nodes.
    void require_proofs(StepContext& step);
    void submit_proof_rule(StepContext& step);
    void keep_ends(StepContext& step, const Effects& effects);
    void end_recovery(StepContext& step, Effects& effects);
    void close(StepContext& step, const ClosedRound& closed, Effects& effects);
    /// A round of a large fleet must end or begin now. Either takes a whole step: other work waits
    /// for the next wake.
    [[nodiscard]] bool is_large_round_due(Instant now) const;
    /// Updates the store, the freeze and the copies for the touched nodes, as many as one step has
    /// time for. The others are published before the next pass.
    void publish_changed_nodes(StepContext& step);
    void plan(StepContext& step, bool is_woken, Effects& effects);
    /// Whether all instances of the node must move elsewhere, and why.
    [[nodiscard]] std::optional<Evacuation> evacuation_of(const Node& node) const;

    Memory in_;
    Reports reports_;
    Operators operators_;
    bool is_over_ = false;  // The leadership is over.
};

}  // namespace muster::coordinator
