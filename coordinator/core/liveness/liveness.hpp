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

/// Decides which nodes are silent, and which are lost.
///
/// A node that missed `silent_after` polls in a row is silent: it gets no new instances until its
/// next answer. A node that missed `lost_after` polls is lost, but not before recovery allows it
/// (S11), and not more nodes at once than the loss rate (S9). Both numbers are larger after our own
/// loop was late (S10). A node that left becomes lost after a grace period.
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
    /// that had timed out; they get the length of the pause to reconnect.
    void on_step(Instant now);
    [[nodiscard]] bool is_reconnect_grace(Instant now) const {
        return now < reconnect_grace_until_;
    }
    /// Closes the open round if all nodes have answered. `overdue`: also if its time is over.
    [[nodiscard]] std::optional<ClosedRound> close_due(Instant now, bool overdue);
    /// Opens the next round if it is due, and polls the nodes.
    void open_due(Instant now, Epoch epoch, std::vector<PollTo>& polls);
    /// Polls sent in this leadership.
    [[nodiscard]] std::uint64_t polls() const { return polls_; }
    /// A round closed: adds tokens for losses, and recovery no longer waits for nodes that are
    /// ahead.
    void on_round_closed(Instant now);

    /// Polls missed in a row that make a node lost now.
    [[nodiscard]] std::uint32_t miss_limit() const { return options_.loss.after * own_.patience(); }
    /// Polls missed in a row that make a node silent now.
    [[nodiscard]] std::uint32_t silent_limit() const {
        return options_.loss.silent_after * own_.patience();
    }

    /// Marks the nodes among these that missed enough polls as silent.
    void note_silence(std::span<const NodeIndex> away);
    /// Decides the loss of the nodes among these that missed enough polls or were given up, as many
    /// at once as the rate allows.
    void decide_losses(StepContext& step, std::span<const NodeIndex> away);
    /// An operator ends a freeze in which the node is silent: it becomes lost without missing more
    /// polls.
    void give_up(NodeIndex index);
    /// The freeze ended by itself: clears the misses of the node.
    void forgive(NodeIndex index);
    /// Nodes that were given up become lost at once, unless our own loop was late or ill.
    void lose_given_up(StepContext& step);
    /// The node answered the open poll.
    void on_answer(NodeIndex index);
    /// The grace after its departure is over: the node becomes lost, but not in a freeze.
    void on_departure_grace_over(StepContext& step, NodeIndex index, bool is_frozen);
    /// Sets the deadline of a node that is lost or left.
    void expect_return(Instant now, NodeIndex index);
    /// No more nodes can join: deletes the records of lost nodes soon.
    void make_room(Instant now);

private:
    friend struct CoreFields;

    void set_silence(NodeIndex index, const SilenceFacts& facts);
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

/// It left with instances running, and these count until it is lost.
[[nodiscard]] bool may_return(const Node& node);

}  // namespace muster::coordinator
