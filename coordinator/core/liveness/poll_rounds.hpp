#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/io.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// How a round ended.
struct ClosedRound {
    Round round{};
    std::uint32_t answered = 0;
    std::uint32_t missed = 0;         ///< Silent, or without a route and not lost yet.
    Duration lasted{};                ///< From its first poll.
    std::vector<NodeIndex> silent{};  ///< Who did not answer a poll, in the order of indices.
    std::vector<NodeIndex> away{};    ///< Who has missed rounds and is not lost yet, in that order.
};

/// The cycle of polls. Every `length` each node that has a route is polled:
///
///     open --- all answered ---> closed --- start + length ---> the next opens
///       \----- start + length: who has not answered missed it -----^
///
/// A node without a route misses every round until it is lost; then it is not looked at any more.
/// Nobody misses a round in which our own loop was late by half of its length, or that was cut
/// short, or for whose whole length he was not asked: who slept suspects nobody.
///
/// From time to time each node is asked for all it holds, although nothing seems to have changed:
/// every `snapshot_rounds` rounds, spread over the nodes.
class PollRounds {
public:
    static constexpr std::uint64_t snapshot_rounds = 256;

    PollRounds(NodeRegistry& nodes, Instant now, Duration length);

    /// Asks the nodes, if it is time. The round before must be closed.
    void open_if_due(Instant now, Epoch epoch, std::vector<PollTo>& polls);
    /// Asks one node between: it has just come, or its name is contested. The open round waits for
    /// it, but it cannot miss that round, unless it still owes the answer to its first poll.
    void ask(NodeIndex index, Epoch epoch, std::vector<PollTo>& polls);

    /// True if it is the answer we wait for; a late or doubled one is not.
    [[nodiscard]] bool answered(NodeIndex index, const Report& report);
    /// The node's poll will not be answered: its route is gone.
    void cancel_poll(NodeIndex index);
    /// It comes by a new route: the other one's poll may never have come. The new one may miss
    /// polls of its own, but not for ever: who always comes and never answers is silent.
    void on_new_route(NodeIndex index);

    /// It answered, but not what it was asked: as good as silent.
    void miss(NodeIndex index);
    /// It answered: what it missed before counts no more.
    void forget_misses(NodeIndex index);
    /// A freeze is over, in which nobody's silence was his own fault.
    void forgive_misses(NodeIndex index);
    /// It is there, but may refuse our polls for good.
    void note_alive(NodeIndex index);

    /// Closes the open round once all have answered; with `overdue`, also if its time is over. Only
    /// a wake is a reason for that: answers that waited in our own queue are heard first. `ill`: so
    /// are our own sockets or store, and with less than half of the nodes heard nobody misses it.
    [[nodiscard]] std::optional<ClosedRound> close_if_due(Instant now, bool overdue,
                                                          bool ill = false);
    /// The next one is due at once, or as soon as the open one is closed: who is silent in that is
    /// judged as ever, however often somebody is in a hurry.
    void expedite(Instant now);
    /// Drops the running round, if one runs: nobody misses it and nothing is planned from it. The
    /// next one is due at once.
    void cut_short(Instant now);

    [[nodiscard]] Round current() const { return round_; }
    [[nodiscard]] Instant next_deadline() const { return started_ + length_; }
    /// Polls of the open round without an answer; none while no round is open.
    [[nodiscard]] std::optional<std::uint32_t> awaited() const {
        return open_ ? std::optional{awaited_} : std::nullopt;
    }

private:
    friend struct CoreFields;

    /// A route without an answer may be followed by so many others that miss polls of their own.
    static constexpr std::uint32_t silent_routes_borne = 8;

    [[nodiscard]] PollFacts& at(NodeIndex index) {
        return nodes_.edit(index, WriteKey<PollFacts>{});
    }
    [[nodiscard]] ClosedRound close(bool misses_count);
    /// Fewer than half of those that are not lost have answered.
    [[nodiscard]] bool heard_minority() const;

    NodeRegistry& nodes_;
    Duration length_;
    Round round_{};
    Instant started_;
    bool open_ = false;
    bool expedited_ = false;      // The next one is due when the open one closes.
    std::uint32_t awaited_ = 0;   // Polls of the open round without an answer.
    std::uint32_t answered_ = 0;  // Nodes that answered in it.
};

}  // namespace muster::coordinator
