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
    std::uint32_t missed = 0;  ///< Silent, or not connected and not lost yet.
    Duration lasted{};         ///< From its first poll.
    /// Nodes that did not answer a poll, in the order of indices.
    std::vector<NodeIndex> silent{};
    /// Nodes that missed rounds and are not lost yet, in that order.
    std::vector<NodeIndex> away{};
};

/// The cycle of polls. Each connected node is polled once per `length`:
///
///     open --- all answered ---> closed --- start + length ---> the next opens
///       \----- start + length: a node without an answer missed it -----^
///
/// A node without a connection misses every round until it is lost. Later rounds skip it. No node
/// misses a round in which our own loop was late by half of its length, or that was cut short. A
/// node that was not polled at the start of a round does not miss that round.
///
/// Each node must send a snapshot every `snapshot_rounds` rounds even if nothing seems to have
/// changed. The nodes take turns.
class PollRounds {
public:
    static constexpr std::uint64_t snapshot_rounds = 256;

    PollRounds(NodeRegistry& nodes, Instant now, Duration length);

    /// Polls the nodes if the next round is due and the one before is closed.
    void open_if_due(Instant now, Epoch epoch, std::vector<PollTo>& polls);
    /// Polls one node within a round: it has just joined, or its name is contested. The open round
    /// waits for its answer. The node misses the round only if it also has not answered an
    /// earlier poll.
    void ask(NodeIndex index, Epoch epoch, std::vector<PollTo>& polls);

    /// True if the report answers the open poll; a late or repeated one does not.
    [[nodiscard]] bool answered(NodeIndex index, const Report& report);
    /// The connection closed, so the node cannot answer its open poll.
    void cancel_poll(NodeIndex index);
    /// The node has a new connection: the poll on the old one may be lost. Misses are counted again
    /// for each connection, but not for ever: a node that reconnects and never answers is silent.
    void on_new_connection(NodeIndex index);

    /// Its answer was invalid: counts a miss.
    void miss(NodeIndex index);
    /// It answered: clears its misses.
    void forget_misses(NodeIndex index);
    /// A freeze is over: clears the misses of the node, because they were not its fault.
    void forgive_misses(NodeIndex index);
    /// The node is alive, but may refuse our polls for ever.
    void clear_miss_count(NodeIndex index);

    /// Closes the open round once all have answered; with `overdue`, also if its time is over. Only
    /// a wake sets `overdue`, so that answers in our own queue are handled first. `ill`: our own
    /// sockets or store are ill, so a round that fewer than half of the nodes answered counts no
    /// misses.
    [[nodiscard]] std::optional<ClosedRound> close_if_due(Instant now, bool overdue,
                                                          bool ill = false);
    /// The next round is due at once, or as soon as the open one is closed. The open round still
    /// counts its misses, so that frequent calls cannot hide silence.
    void expedite(Instant now);
    /// Drops the open round, if any: no node misses it, and no pass follows. The next one is due at
    /// once.
    void cut_short(Instant now);

    [[nodiscard]] Round current() const { return round_; }
    [[nodiscard]] Instant next_deadline() const { return started_ + length_; }
    /// Polls of the open round without an answer; none while no round is open.
    [[nodiscard]] std::optional<std::uint32_t> awaited() const {
        return open_ ? std::optional{awaited_} : std::nullopt;
    }

private:
    friend struct CoreFields;

    /// How many connections in a row without an answer start with no misses.
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
    bool expedited_ = false;      // The next round is due when the open one closes.
    std::uint32_t awaited_ = 0;   // Polls of the open round without an answer.
    std::uint32_t answered_ = 0;  // Nodes that answered in it.
};

}  // namespace muster::coordinator
