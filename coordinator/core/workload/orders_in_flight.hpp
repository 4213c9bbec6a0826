#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/workload/copy_table.hpp"
#include "coordinator/core/workload/node_table.hpp"

namespace muster::coordinator {

/// What was ordered of each node and is not known to be done or not done, and what that makes of
/// copies.
///
/// An order in flight counts as a copy that may exist, until the node's next answered poll resolves
/// it (a link is FIFO: what an answer shows as not done never will be), a report shows it done, or
/// the node is lost.
///
/// Owned by Placements.
class OrdersInFlight {
public:
    OrdersInFlight(const Workload& workload, const NodeTable& table, ReportedInstances& reported,
                   CopyTable& copies)
        : workload_{workload}, table_{table}, reported_{reported}, copies_{copies} {}

    static constexpr Sequence everything{~std::uint64_t{0}};

    /// The same as the other holds, of copies of its tables.
    void copy_from(const OrdersInFlight& other);

    /// The order left in the batch of this sequence. Sequences of a node do not decrease.
    void launched(const Order& order, Sequence sequence);
    /// The node answered a poll that said `issued`: what was ordered up to it is as reported. Apply
    /// the report first. For another life of the agent, `everything`.
    void resolve(NodeIndex index, Sequence issued);
    /// The same answer, before it resolves anything: starts up to `issued` that the agent obeyed,
    /// and that left nothing. `obeyed` is the last batch that it obeyed.
    [[nodiscard]] std::vector<Vanished> obeyed_in_vain(NodeIndex index, Sequence issued,
                                                       Sequence obeyed) const;
    /// Before that, too: what the agent was to stop, says to have stopped, and reports as ever, is
    /// claimed from now on. Gives the first of them.
    std::optional<Vanished> disown(NodeIndex index, Sequence issued, Sequence obeyed);
    /// The agent obeyed this batch. Of those before nobody knows: they may have been lost.
    void obeyed(NodeIndex index, Sequence sequence);
    /// The agent, which has obeyed up to this sequence, refused the order of this instance: it is
    /// not in flight any more. A later order is, whatever a late double of the refusal says. True:
    /// it was a start.
    bool refused(NodeIndex index, const InstanceId& id, Generation generation, Sequence obeyed);
    void forget(NodeIndex index) { at(index) = {}; }

    [[nodiscard]] bool is_ordered(NodeIndex index, const InstanceId& id,
                                  Generation generation) const;
    /// A start of this generation is in flight, or was and left nothing that was reported.
    [[nodiscard]] bool was_started(NodeIndex index, TaskIndex task, Ordinal ordinal,
                                   Generation generation) const;
    /// The generation of the last start of this instance that is in flight.
    [[nodiscard]] std::optional<Generation> started(NodeIndex index, TaskIndex task,
                                                    Ordinal ordinal) const;
    /// On all nodes, and on one.
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t count(NodeIndex index) const { return on(index).size(); }
    [[nodiscard]] const Outcomes& outcomes() const { return outcomes_; }

    struct InFlight {
        Order order;
        Sequence sequence{};
        bool obeyed = false;  ///< By the ack of its batch.
    };
    /// Of one node, by sequence.
    [[nodiscard]] std::span<const InFlight> on(NodeIndex index) const;

private:
    friend struct CoreFields;

    /// A start that is not in flight any more, and of which nothing was reported. A node that was
    /// out of sight meanwhile may have obeyed it.
    struct Lapsed {
        TaskIndex task{};  ///< One change gives several tasks the same generation.
        Generation generation{};
        Ordinal ordinal = 0;

        friend bool operator==(const Lapsed&, const Lapsed&) = default;
    };
    struct OfNode {
        std::vector<InFlight> in_flight;  // By sequence.
        std::vector<Lapsed> lapsed;       // As they lapsed, and no more than it can run.
    };

    OfNode& at(NodeIndex index) { return made_at(nodes_, index); }
    void close(NodeIndex index, const Order& order);
    void note_lapsed(NodeIndex index, const Order& order);
    void set_claimed(const Order& order);
    /// Something else was ordered of the same copy, and not before.
    [[nodiscard]] bool is_followed(const InFlight& order) const;
    [[nodiscard]] const InFlight* find(NodeIndex index, const InstanceId& id,
                                       Generation generation) const;

    const Workload& workload_;
    const NodeTable& table_;
    ReportedInstances& reported_;
    CopyTable& copies_;
    std::deque<OfNode> nodes_;  // There is none too many.
    std::size_t count_ = 0;
    Outcomes outcomes_;
};

}  // namespace muster::coordinator
