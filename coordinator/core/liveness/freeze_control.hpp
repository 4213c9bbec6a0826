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

/// The freeze of this cluster: which nodes count, when it begins and ends, and how an operator
/// decides it. The rules are in Freeze.
class FreezeControl {
public:
    FreezeControl(NodeRegistry& nodes, Liveness& liveness, const Table<StoredFreeze>& kept)
        : nodes_{nodes}, liveness_{liveness}, kept_{kept} {}

    /// An operator's freeze outlives leaderships.
    void restore();

    [[nodiscard]] bool is_on() const { return freeze_.is_on(); }
    /// So many began in this leadership.
    [[nodiscard]] std::uint64_t begun() const { return begun_; }

    /// A new record. `served`: it did, before anything is known of it.
    void add(NodeIndex index, bool served) {
        freeze_.add(index, liveness_.rounds().current(), served);
    }
    /// From now on it serves, or does not.
    void serves(NodeIndex index, bool serving) {
        freeze_.serves(index, liveness_.rounds().current(), serving);
    }

    /// What a closed round makes of it.
    void judge(StepContext& step, const ClosedRound& closed, Effects& effects);
    /// What an operator decided is durable.
    void on_durable(StepContext& step, const Change& change, Effects& effects);

    /// Adds the node to those that may be judged together, if it is one of them.
    void count_in(NodeIndex index, Census& seen) const;
    [[nodiscard]] Census census() const;
    /// How it would be if these were silent, too.
    [[nodiscard]] PlannedFreeze with_failing(const std::set<NodeIndex>& failing) const;
    [[nodiscard]] FreezeView view() const { return view(census()); }
    [[nodiscard]] FreezeView view(const Census& seen) const;

    /// What an operator's request would write; nothing, if it changes nothing.
    [[nodiscard]] Answered turned_on(CivilMs now, const Occasion& why) const;
    [[nodiscard]] Answered turned_off(const Occasion& why) const;

private:
    friend struct CoreFields;

    /// Its silence may begin a freeze.
    [[nodiscard]] bool is_judged(NodeIndex index) const;
    void begin(StepContext& step, std::string why);
    /// The silent nodes are forgiven what they missed, or given up.
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
