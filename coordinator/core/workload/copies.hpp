#pragma once

#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/workload/leases.hpp"
#include "coordinator/core/workload/order_proofs.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The result of applying a report to the copies on its node.
struct AppliedReport {
    bool is_current = false;         ///< Our view of the node is now current.
    bool is_first = false;           ///< The report is the first snapshot of this life.
    std::optional<Applied> found{};  ///< Nothing if the report changed nothing.
};

/// What an answer shows about the orders that its poll covered.
struct ResolvedOrders {
    /// The agent obeyed the stop of this instance, and still reports it.
    std::optional<Vanished> unstopped;
    /// The agent obeyed the starts of these instances, and reports none of them.
    std::vector<Vanished> without_effect;
};

/// The wanted tasks, the copies of their instances, the leases of exclusive instances, and the
/// proofs of orders.
class Copies {
public:
    Copies(Instant now, const CoordinatorOptions& options, const StoreImage& image,
           NodeRegistry& nodes);

    // ---- reports of agents ----
    /// Applies the instances of a report. `held_back`: an earlier leadership may have ordered
    /// generations up to this one.
    [[nodiscard]] AppliedReport apply(NodeIndex index, const Report& report,
                                      std::optional<Generation> held_back);
    /// The last poll covered orders that no answer has decided yet.
    [[nodiscard]] bool has_unresolved_orders(NodeIndex index) const {
        return nodes_[index].resolved_up_to != nodes_[index].polled_issued;
    }
    /// Decides these orders by an answer that apply() has applied. `obeyed`: the last batch that
    /// the agent obeyed.
    [[nodiscard]] ResolvedOrders resolve_orders(NodeIndex index, Sequence obeyed);
    /// These instances vanished from the node. The node is at fault unless all of them are
    /// exclusive, because those end with their lease. A node that leaves is not at fault, because
    /// its agent ends all instances.
    void note_vanished(NodeIndex index, std::span<const Vanished> all);
    /// True once if the node is at fault.
    [[nodiscard]] bool take_vanished(NodeIndex index);
    /// Some of these are not exclusive, so they cannot have ended with their lease.
    [[nodiscard]] bool has_unexclusive(std::span<const Vanished> all) const;

    // ---- changes of nodes ----
    /// A new life of the node begins, perhaps on another host. Call this before that life is
    /// recorded.
    void begin_life(NodeIndex index);
    /// The node left. Its instances ended unless it announced that they run on.
    void on_departure(NodeIndex index);
    /// Updates the copies after the facts of a node changed. `evacuation`: all its instances must
    /// move elsewhere.
    void on_changed_node(NodeIndex index, std::optional<Evacuation> evacuation);
    /// The record is deleted.
    void remove_node(NodeIndex index);
    /// The node reports no instance, and no order to it is in flight.
    [[nodiscard]] bool is_empty(NodeIndex index) const {
        return placements.reported().count(index) == 0 && placements.orders().count(index) == 0;
    }

    Workload workload;
    Placements placements;
    Leases leases;
    OrderProofs proofs;

private:
    friend struct CoreFields;

    /// Holds all exclusive instances of a node that may run on unseen.
    void hold_all_on(NodeIndex index);
    /// The trust in copies that this leadership did not order there.
    [[nodiscard]] Trust trust_in(NodeIndex index, bool is_first,
                                 std::optional<Generation> held_back) const;

    NodeRegistry& nodes_;
};

}  // namespace muster::coordinator
