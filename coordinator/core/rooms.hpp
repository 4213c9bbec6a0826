#pragma once

#include <optional>

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
    [[nodiscard]] Instant next_deadline() const;
    [[nodiscard]] const Memory& memory() const { return in_; }
    /// A large change is on its way, or not all that is durable is taken over.
    [[nodiscard]] bool is_amid_change() const;

private:
    friend struct CoreFields;  // Which records it.

    // ---- inputs ----
    void on(StepContext& step, const FromAgent& input, Effects& effects);
    void on(StepContext& step, const SessionClosed& input, Effects& effects);
    void on(StepContext& step, const Undecodable& input, Effects& effects);
    void on(StepContext& step, const FromOperator& input, Effects& effects);
    void on(StepContext& step, const Persisted& input, Effects& effects);
    void on(StepContext& step, const StoreFailed& input, Effects& effects);
    void on(StepContext& step, const OwnSockets& input, Effects& effects);
    void on(StepContext& step, const CivilTime& input, Effects& effects);
    void on(StepContext& step, const Wake& input, Effects& effects);

    // ---- what became durable, to the owners of the rows ----
    /// So much of it that the step is not too long.
    void take_over_durable(StepContext& step, Effects& effects);
    void take_over(StepContext& step, const PendingWrite& write, Effects& effects);
    void take_over_tasks(StepContext& step, const PendingWrite& write, Effects& effects);
    void take_over_store(StepContext& step, const Change& change);
    void put(const StoredTask& row);

    // ---- without being asked ----
    /// Ends what was to end by now. True for a record whose row is to be erased.
    [[nodiscard]] bool on_due(StepContext& step, const Deadlines::Due& due);
    void on_drain_overdue(StepContext& step, NodeIndex index);
    void keep_ends(StepContext& step, const Effects& effects);
    void end_recovery(StepContext& step, Effects& effects);
    void close(StepContext& step, const ClosedRound& closed, Effects& effects);
    /// A round of a large fleet is to end or to begin. Either makes a step long enough: what else
    /// waits is left to the next wake.
    [[nodiscard]] bool is_large_round_due(Instant now) const;
    /// Store, freeze and copies learn of the nodes of which a fact has changed: of so many that the
    /// step is not too long. Of the rest they learn before anything is planned.
    void publish_changed_nodes(StepContext& step);
    void plan(StepContext& step, bool is_woken, Effects& effects);
    /// Whether all that runs on it is to run elsewhere.
    [[nodiscard]] std::optional<Evacuation> evacuation_of(const Node& node) const;

    Memory in_;
    Reports reports_;
    Operators operators_;
    bool is_over_ = false;  // Leadership is.
};

}  // namespace muster::coordinator
