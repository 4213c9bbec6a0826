#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coordinator/core/workload/orders_in_flight.hpp"

namespace muster::coordinator {

/// Who runs what, as reported, and what is in flight; indexed both ways.
///
/// Level-triggered: a report overwrites what we believed. By node lies what was reported and what
/// was ordered; by task lie the copies that follow from both, and count.
///
///     change of a node ---> NodeTable ----------.
///     report -------------> ReportedInstances ---+--> CopyTable ---> planner, queries
///     order, answer ------> OrdersInFlight -----'
///
/// Owned by Copies.
class Placements {
public:
    explicit Placements(Workload& workload);
    /// A copy, of another workload that has the same indices. All of it is new to its planner.
    Placements(const Placements& other, Workload& workload);

    /// A new node is not serving and not commandable, but counted. Names are unique.
    void add_node(NodeIndex index, std::string_view name) { nodes_.add(index, name); }
    /// Forgets a node and its copies.
    void remove_node(NodeIndex index);
    /// Only a serving node gets starts. It may get stops if `commandable`.
    void set_serving(NodeIndex node, bool serving) {
        touch_all_on(node, nodes_.set_serving(node, serving));
    }
    /// Not commandable (ahead, no session, not recorded yet): no order goes there at all.
    void set_commandable(NodeIndex node, bool commandable) {
        touch_all_on(node, nodes_.set_commandable(node, commandable));
    }
    /// What runs on the node is to run elsewhere; with nothing, it may stay. Such a node does not
    /// serve.
    void set_evacuating(NodeIndex node, std::optional<Evacuation> why) {
        touch_all_on(node, nodes_.set_evacuating(node, why));
    }
    /// A lost node's copies count as gone, and what was in flight there is forgotten. When it
    /// answers they count again as held: first apply what it answered, then count it.
    void set_counted(NodeIndex node, bool counted);
    /// What the node offers; until it is said, it offers what any node does.
    void set_offer(NodeIndex node, const Offer& offer) {
        touch_all_on(node, nodes_.set_offer(node, offer));
    }

    /// A snapshot replaces what is held of the node; instances are sorted by id. Of one listed
    /// twice the first counts. What is new and was not ordered is as trusted.
    Applied replace(NodeIndex node, std::span<const InstanceReport> instances, Trust trust = {});
    /// A delta changes what is held.
    Applied change(NodeIndex node, std::span<const InstanceReport> changed,
                   std::span<const InstanceId> gone, Trust trust = {});

    /// The node is not to be relied upon: what it says to have from an earlier leadership is
    /// claimed from now on.
    void distrust(NodeIndex node);

    [[nodiscard]] OrdersInFlight& orders() { return orders_; }
    [[nodiscard]] const OrdersInFlight& orders() const { return orders_; }
    [[nodiscard]] const NodeTable& nodes() const { return nodes_; }
    [[nodiscard]] const ReportedInstances& reported() const { return reported_; }
    [[nodiscard]] const CopyTable& copies() const { return copies_; }

    // For the planner, which learns each change once.
    [[nodiscard]] std::vector<NodeIndex> take_flipped() { return nodes_.take_flipped(); }
    [[nodiscard]] std::vector<NodeIndex> take_offered() { return nodes_.take_offered(); }
    [[nodiscard]] std::vector<TaskIndex> take_touched() { return copies_.take_touched(); }
    /// A move is over: its target is a copy like any other.
    void arrived(TaskIndex task, Ordinal ordinal, NodeIndex node) {
        copies_.on_arrived(task, ordinal, node);
    }
    /// As in CopyTable.
    std::optional<Instant> note_health(Instant now, TaskIndex task) {
        return copies_.note_health(now, task);
    }

    /// It reported something that runs or may run again, or orders are on their way to it.
    [[nodiscard]] bool is_busy(NodeIndex node) const;
    /// Something that is wanted, reported or in flight.
    [[nodiscard]] bool has_wanted_copies(NodeIndex node) const;
    struct Instance {
        TaskIndex task{};
        Ordinal ordinal = 0;
    };
    /// What the node reported, by name of task, then ordinal; then what is on its way there.
    [[nodiscard]] std::vector<Instance> all_on(NodeIndex node) const;

    /// What is kept by node, by task and in numbers agrees.
    [[nodiscard]] bool adds_up() const;

private:
    friend struct CoreFields;

    /// Their tasks are to be planned again, if something of the node has changed.
    void touch_all_on(NodeIndex node, bool has_changed);
    Applied merge(NodeIndex node, std::size_t same,
                  const std::vector<const InstanceReport*>& reports, const Trust& trust);
    /// What is to be held of the report. `before`: what is held of it; nothing: it is new.
    ReportedInstance apply(NodeIndex node, const ReportedInstance* before,
                           const InstanceReport& report, const Trust& trust, Applied& applied);
    /// The node does not report it any more.
    void apply_gone(NodeIndex node, const ReportedInstance& gone, Applied& applied);
    void count_gone(NodeIndex node, const ReportedInstance& instance);
    [[nodiscard]] Origin origin_of(NodeIndex node, TaskIndex task, const ReportedInstance* before,
                                   const InstanceReport& report, const Trust& trust) const;

    Workload& workload_;
    NodeTable nodes_;
    ReportedInstances reported_;
    CopyTable copies_;
    OrdersInFlight orders_;
};

}  // namespace muster::coordinator
