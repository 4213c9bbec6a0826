#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/fleet_room.hpp"
#include "coordinator/core/liveness/loss_rate.hpp"
#include "coordinator/core/liveness/own_health.hpp"
#include "coordinator/core/liveness/poll_rounds.hpp"
#include "coordinator/core/liveness/recovery.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// Who answers, and when silence is loss.
///
/// Polls missed in a row make a node silent, then lost: `lost_after` of them, more while our own
/// loop was late (S10), none before recovery allows it (S11), and not more nodes at once than the
/// rate of losses (S9). A node that said goodbye is lost some time after it.
class Liveness {
public:
    Liveness(Instant now, const CoordinatorOptions& options, Generation counter,
             NodeRegistry& nodes, const Placements& placements, const FleetRoom& room);

    [[nodiscard]] PollRounds& rounds() { return rounds_; }
    [[nodiscard]] const PollRounds& rounds() const { return rounds_; }
    [[nodiscard]] OwnHealth& own() { return own_; }
    [[nodiscard]] const OwnHealth& own() const { return own_; }
    [[nodiscard]] Recovery& recovery() { return recovery_; }
    [[nodiscard]] const Recovery& recovery() const { return recovery_; }

    /// Notes how late this step is. While the coordinator was paused, agents closed connections
    /// that had timed out; they get as long as the pause lasted to come back.
    void on_step(Instant now);
    [[nodiscard]] bool is_reconnect_grace(Instant now) const {
        return now < reconnect_grace_until_;
    }
    /// Closes the open round, if it is over. `overdue`: also if its time is.
    [[nodiscard]] std::optional<ClosedRound> close_due(Instant now, bool overdue);
    /// Opens the next round, if it is due, and polls the nodes.
    void open_due(Instant now, Epoch epoch, std::vector<PollTo>& polls);
    /// Polls of this leadership.
    [[nodiscard]] std::uint64_t polls() const { return polls_; }
    /// A round closed: tokens for losses, and nodes that are ahead are waited for no longer.
    void on_round_closed(Instant now);

    /// Polls missed in a row that make a node lost, at present.
    [[nodiscard]] std::uint32_t miss_limit() const { return options_.loss.after * own_.patience(); }
    /// With one more miss it may be lost.
    [[nodiscard]] bool is_silent(const Node& node) const {
        return node.lost || node.misses + 1 >= miss_limit();
    }
    /// Neither lost nor gone, but silent: what it runs is as it said last.
    [[nodiscard]] bool is_overdue(const Node& node) const {
        return !is_lost(node) && is_silent(node);
    }

    /// Those of them that have missed as many polls as the limit become lost; as many at once as
    /// the rate allows.
    void decide_losses(StepContext& step, std::span<const NodeIndex> away, std::uint32_t limit);
    /// An operator ended a freeze: the silent become lost at once, unless we were away ourselves.
    void give_up_silent(StepContext& step);
    /// It answered what it was asked.
    void on_answer(NodeIndex index);
    /// While it is silent and not lost yet, it gets no new instances.
    void set_unschedulable(NodeIndex index, bool unschedulable);
    /// Its goodbye was long ago. In a freeze it is not lost.
    void on_goodbye_over(StepContext& step, NodeIndex index, bool is_frozen);
    /// Sets the deadline that ends its absence, if it is away.
    void expect_return(Instant now, NodeIndex index);
    /// No more nodes can join: records of lost nodes make room soon.
    void make_room(Instant now);

private:
    friend struct CoreFields;  // Which records it.

    void lose(StepContext& step, NodeIndex index, std::string why);

    const CoordinatorOptions& options_;
    NodeRegistry& nodes_;
    const Placements& placements_;
    const FleetRoom& room_;
    PollRounds rounds_;
    OwnHealth own_;
    LossRate losses_;
    Recovery recovery_;
    Instant reconnect_grace_until_{};
    std::uint64_t polls_ = 0;
};

/// It said goodbye, and what it left behind counts as long as it may return.
[[nodiscard]] bool may_return(const Node& node);

}  // namespace muster::coordinator
