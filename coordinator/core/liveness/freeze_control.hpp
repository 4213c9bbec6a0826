#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "common/base/ids.hpp"
#include "common/messages/operator/explain.hpp"
#include "common/messages/operator/intents.hpp"
#include "coordinator/core/effects.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/liveness/freeze.hpp"
#include "coordinator/core/liveness/liveness.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// The freeze of this cluster: which nodes count, when it begins and ends, and what operators
/// decide. The rules are in Freeze.
class FreezeControl {
public:
    FreezeControl(NodeRegistry& nodes, Liveness& liveness, const Table<StoredFreeze>& kept)
        : nodes_{nodes}, liveness_{liveness}, kept_{kept} {}

    /// Restores a stored freeze that an operator began.
    void restore();

    [[nodiscard]] bool is_on() const { return freeze_.is_on(); }
    /// The number of freezes that began in this leadership.
    [[nodiscard]] std::uint64_t begun() const { return begun_; }

    /// Adds a new record. `served`: whether the node counts as having served before.
    void add(NodeIndex index, bool served) {
        freeze_.add(index, liveness_.rounds().current(), served);
    }
    /// The node serves from now on, or does not.
    void serves(NodeIndex index, bool serving) {
        freeze_.serves(index, liveness_.rounds().current(), serving);
    }

    /// Begins or ends the freeze after a closed round, if due.
    void judge(StepContext& step, const ClosedRound& closed, Effects& effects);
    /// An operator's decision is durable.
    void on_durable(StepContext& step, const Change& change, Effects& effects);

    /// Adds the node to the census if it counts.
    void count_in(NodeIndex index, Census& seen) const;
    [[nodiscard]] Census census() const;
    /// The freeze as it would be if these nodes were silent too.
    [[nodiscard]] PlannedFreeze with_failing(const std::set<NodeIndex>& failing) const;
    [[nodiscard]] FreezeView view() const { return view(census()); }
    [[nodiscard]] FreezeView view(const Census& seen) const;

    /// The rows that an operator's request writes; none if it changes nothing.
    [[nodiscard]] Answered turned_on(CivilMs now, const Occasion& why) const;
    [[nodiscard]] Answered turned_off(const Occasion& why) const;

private:
    friend struct CoreFields;

    /// The freeze once all pending writes have taken effect.
    [[nodiscard]] FreezeView soon() const;
    /// True if its silence counts toward a freeze.
    [[nodiscard]] bool is_judged(NodeIndex index) const;
    void begin(StepContext& step, std::string why);
    /// Clears the misses of the silent nodes, or gives these nodes up.
    void end(StepContext& step, bool gives_up, std::string why, Effects& effects);

    NodeRegistry& nodes_;
    Liveness& liveness_;
    const Table<StoredFreeze>& kept_;
    Freeze freeze_;
    CivilMs since_{};
    std::uint64_t begun_ = 0;
};

/// `frozen by ann@desk: ...: 3 of 9 nodes are silent, ...`.
[[nodiscard]] std::string freeze_alarm(const FreezeView& view);

}  // namespace muster::coordinator
