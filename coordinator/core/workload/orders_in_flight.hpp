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

/// The orders to each node that are not known to be done or not done, and their effect on copies.
///
/// An order in flight counts as a copy that may exist, until the node's next answered poll resolves
/// it, a report shows it done, or the node is lost. A connection is FIFO, so an order that an
/// answer shows as not done will never be done.
///
/// Owned by Placements.
class OrdersInFlight {
public:
    OrdersInFlight(const Workload& workload, const NodeTable& table, ReportedInstances& reported,
                   CopyTable& copies)
        : workload_{workload}, table_{table}, reported_{reported}, copies_{copies} {}

    static constexpr Sequence everything{~std::uint64_t{0}};

    /// Takes over the state of another object, for copies of its tables.
    void copy_from(const OrdersInFlight& other);

    /// The order was sent in the batch of this sequence. Sequences of a node do not decrease.
    void launched(const Order& order, Sequence sequence);
    /// The node answered a poll that carried `issued`: its report decides all orders up to that
    /// number. Apply the report first. For another life of the agent, `everything`.
    void resolve(NodeIndex index, Sequence issued);
    /// Call before resolve(): finds starts up to `issued` that the agent obeyed, but whose
    /// instances it does not report. `obeyed` is the last batch that the agent obeyed.
    [[nodiscard]] std::vector<Vanished> obeyed_without_effect(NodeIndex index, Sequence issued,
                                                              Sequence obeyed) const;
    /// Call before resolve(): an instance whose stop the agent obeyed, and that it still reports,
    /// is claimed from now on. Returns the first of them.
    std::optional<Vanished> mark_unstopped(NodeIndex index, Sequence issued, Sequence obeyed);
    /// The agent obeyed this batch. Earlier batches may have been lost.
    void obeyed(NodeIndex index, Sequence sequence);
    /// The agent, which has obeyed up to this sequence, refused the order of this instance: the
    /// order is not in flight any more. A late repetition of the refusal does not affect a later
    /// order. True: the order was a start.
    bool refused(NodeIndex index, const InstanceId& id, Generation generation, Sequence obeyed);
    void forget(NodeIndex index) { at(index) = {}; }

    [[nodiscard]] bool is_ordered(NodeIndex index, const InstanceId& id,
                                  Generation generation) const;
    /// A start of this generation is in flight, or was in flight and no report showed it.
    [[nodiscard]] bool was_started(NodeIndex index, TaskIndex task, Ordinal ordinal,
                                   Generation generation) const;
    /// The generation of the last start of this instance that is in flight.
    [[nodiscard]] std::optional<Generation> started(NodeIndex index, TaskIndex task,
                                                    Ordinal ordinal) const;
    /// The number of orders in flight, on all nodes and on one.
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t count(NodeIndex index) const { return on(index).size(); }
    [[nodiscard]] const Outcomes& outcomes() const { return outcomes_; }

    struct InFlight {
        Order order;
        Sequence sequence{};
        bool obeyed = false;  ///< The ack of its batch confirmed it.
    };
    /// Of one node, by sequence.
    [[nodiscard]] std::span<const InFlight> on(NodeIndex index) const;

private:
    friend struct CoreFields;

    /// A start that is not in flight any more, and that no report showed. A node that was lost
    /// meanwhile may have obeyed it.
    struct ExpiredStart {
        TaskIndex task{};  ///< One change gives several tasks the same generation.
        Generation generation{};
        Ordinal ordinal = 0;

        friend bool operator==(const ExpiredStart&, const ExpiredStart&) = default;
    };
    struct OfNode {
        std::vector<InFlight> in_flight;  // By sequence.
        // In the order in which they expired_starts; at most as many as a node can run.
        std::vector<ExpiredStart> expired_starts;
    };

    OfNode& at(NodeIndex index) { return made_at(nodes_, index); }
    void close(NodeIndex index, const Order& order);
    void note_expired_start(NodeIndex index, const Order& order);
    void set_unordered(const Order& order);
    /// An opposite order for the same copy is in flight, at this sequence or later.
    [[nodiscard]] bool is_followed(const InFlight& order) const;
    [[nodiscard]] const InFlight* find(NodeIndex index, const InstanceId& id,
                                       Generation generation) const;

    const Workload& workload_;
    const NodeTable& table_;
    ReportedInstances& reported_;
    CopyTable& copies_;
    std::deque<OfNode> nodes_;  // A deque: no spare capacity.
    std::size_t count_ = 0;
    Outcomes outcomes_;
};

}  // namespace muster::coordinator
