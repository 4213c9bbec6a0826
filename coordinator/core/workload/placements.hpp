#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coordinator/core/workload/orders_in_flight.hpp"

namespace muster::coordinator {

/// The reported instances and the orders in flight, indexed by node and by task.
///
/// Level-triggered: a report overwrites what was known. Reports and orders are kept by node; the
/// copies that follow from both, and count, are kept by task.
///
///     change of a node ---> NodeTable ----------.
///     report -------------> ReportedInstances ---+--> CopyTable ---> planner, queries
///     order, answer ------> OrdersInFlight -----'
///
/// Owned by Copies.
class Placements {
public:
    explicit Placements(Workload& workload);
    /// A copy for another workload with the same indices. Everything is new to the planner of the
    /// copy.
    Placements(const Placements& other, Workload& workload);

    /// A new node is not serving and not commandable, but counted. Names are unique.
    void add_node(NodeIndex index, std::string_view name) { nodes_.add(index, name); }
    /// Forgets a node and its copies.
    void remove_node(NodeIndex index);
    /// Only a serving node gets starts. It may get stops if `commandable`.
    void set_serving(NodeIndex node, bool serving) {
        touch_all_on(node, nodes_.set_serving(node, serving));
    }
    /// A node that is not commandable (ahead, no session, not recorded yet) gets no order at all.
    void set_commandable(NodeIndex node, bool commandable) {
        touch_all_on(node, nodes_.set_commandable(node, commandable));
    }
    /// The instances of the node must move elsewhere; without a reason they may stay. Such a node
    /// does not serve.
    void set_evacuating(NodeIndex node, std::optional<Evacuation> why) {
        touch_all_on(node, nodes_.set_evacuating(node, why));
    }
    /// A lost node's copies count as gone, and its orders in flight are dropped. When the node
    /// answers, its reported copies count again: first apply the answer, then count the node.
    void set_counted(NodeIndex node, bool counted);
    /// What the node offers. Before this call it has the default offer.
    void set_offer(NodeIndex node, const Offer& offer) {
        touch_all_on(node, nodes_.set_offer(node, offer));
    }

    /// A snapshot replaces all instances of the node; they are sorted by id. If an instance is
    /// listed twice, the first one counts. `trust` applies to new instances that were not ordered.
    Applied replace(NodeIndex node, std::span<const InstanceReport> instances, Trust trust = {});
    /// A delta changes some instances of the node.
    Applied change(NodeIndex node, std::span<const InstanceReport> changed,
                   std::span<const InstanceId> gone, Trust trust = {});

    /// The node is not trusted: instances that it reports from an earlier leadership are claimed
    /// from now on.
    void distrust(NodeIndex node);
    /// The store that the node knows was accepted: what it reports without a proof was ordered by
    /// another leader, perhaps with another key (ADR 23).
    void exempt(NodeIndex node);

    [[nodiscard]] OrdersInFlight& orders() { return orders_; }
    [[nodiscard]] const OrdersInFlight& orders() const { return orders_; }
    [[nodiscard]] const NodeTable& nodes() const { return nodes_; }
    [[nodiscard]] const ReportedInstances& reported() const { return reported_; }
    [[nodiscard]] const CopyTable& copies() const { return copies_; }

    // For the planner, which takes each change once.
    [[nodiscard]] std::vector<NodeIndex> take_flipped() { return nodes_.take_flipped(); }
    [[nodiscard]] std::vector<NodeIndex> take_offered() { return nodes_.take_offered(); }
    [[nodiscard]] std::vector<TaskIndex> take_touched() { return copies_.take_touched(); }
    void set_answered(NodeIndex node, Instant when) { nodes_.set_answered(node, when); }
    /// A move is complete: its target is an ordinary copy now.
    void arrived(TaskIndex task, Ordinal ordinal, NodeIndex node) {
        copies_.on_arrived(task, ordinal, node);
    }
    /// As in CopyTable.
    std::optional<Instant> note_health(Instant now, TaskIndex task) {
        return copies_.note_health(now, task, nodes_);
    }

    /// The node reports an instance that runs or may run again, or orders to it are in flight.
    [[nodiscard]] bool is_busy(NodeIndex node) const;
    /// The node has an instance of a wanted task, reported or in flight.
    [[nodiscard]] bool has_wanted_copies(NodeIndex node) const;
    struct Instance {
        TaskIndex task{};
        Ordinal ordinal = 0;
    };
    /// The instances that the node reported, by name of task, then ordinal; then the starts in
    /// flight.
    [[nodiscard]] std::vector<Instance> all_on(NodeIndex node) const;

    /// True if the instances by node, the copies by task and the counts agree.
    [[nodiscard]] bool is_consistent() const;

private:
    void set_origins(NodeIndex node, Origin to, bool (*applies)(Origin origin));
    friend struct CoreFields;

    /// Marks the tasks on the node for planning if the node has changed.
    void touch_all_on(NodeIndex node, bool has_changed);
    Applied merge(NodeIndex node, std::size_t same,
                  const std::vector<const InstanceReport*>& reports, const Trust& trust);
    /// The instance as reported now. `before`: as reported before; null: it is new.
    ReportedInstance apply(NodeIndex node, const ReportedInstance* before,
                           const InstanceReport& report, const Trust& trust, Applied& applied);
    /// The node does not report the instance any more.
    void apply_gone(NodeIndex node, const ReportedInstance& gone, Applied& applied);
    void count_gone(NodeIndex node, const ReportedInstance& instance);
    struct Judged {
        Origin origin{};
        bool is_stray = false;  ///< It lacks the proof that it needs. Not repeated.
    };
    [[nodiscard]] Judged judge(NodeIndex node, TaskIndex task, const ReportedInstance* before,
                               const InstanceReport& report, const Trust& trust) const;

    Workload& workload_;
    NodeTable nodes_;
    ReportedInstances reported_;
    CopyTable copies_;
    OrdersInFlight orders_;
};

}  // namespace muster::coordinator
