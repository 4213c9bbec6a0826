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
/// Polls missed in a row make a node silent: `silent_after` of them. It gets nothing new then, and
/// its next answer ends it. `lost_after` of them make it lost: none before recovery allows it
/// (S11), and not more nodes at once than the rate of losses (S9). Both numbers are larger while
/// our own loop was late (S10). A node that said goodbye is lost some time after it.
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
    /// And those that make it silent.
    [[nodiscard]] std::uint32_t silent_limit() const {
        return options_.loss.silent_after * own_.patience();
    }

    /// Those of them that have missed enough polls are silent from now on.
    void note_silence(std::span<const NodeIndex> away);
    /// Those of them that have missed enough polls, or were given up, become lost; as many at once
    /// as the rate allows.
    void decide_losses(StepContext& step, std::span<const NodeIndex> away);
    /// An operator ends a freeze in which the node is silent: it need not miss any more polls.
    void give_up(NodeIndex index);
    /// The freeze ended by itself: what the node missed is forgotten, until it misses more.
    void forgive(NodeIndex index);
    /// Those that were given up become lost at once, unless we were away ourselves.
    void lose_given_up(StepContext& step);
    /// It answered what it was asked.
    void on_answer(NodeIndex index);
    /// Its goodbye was long ago. In a freeze it is not lost.
    void on_goodbye_over(StepContext& step, NodeIndex index, bool is_frozen);
    /// Sets the deadline that ends its absence, if it is away.
    void expect_return(Instant now, NodeIndex index);
    /// No more nodes can join: records of lost nodes make room soon.
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

/// It said goodbye, and what it left behind counts as long as it may return.
[[nodiscard]] bool may_return(const Node& node);

}  // namespace muster::coordinator
