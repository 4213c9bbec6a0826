#pragma once

#include <optional>
#include <span>
#include <vector>

#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/workload/leases.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// What a report made of the copies on its node.
struct AppliedReport {
    bool is_current = false;         ///< What we hold is now what the agent has.
    bool is_first = false;           ///< It is the first snapshot of this life.
    std::optional<Applied> found{};  ///< Nothing, if it changed nothing.
};

/// What an answer shows of the orders that its poll named.
struct ResolvedOrders {
    std::optional<Vanished> disowned;  ///< It obeyed the stop of this, and still reports it.
    std::vector<Vanished> in_vain;     ///< It obeyed the starts of these, and reports none of them.
};

/// What is wanted, who runs what of it, and until when copies that nobody sees may still run.
class Copies {
public:
    Copies(Instant now, const CoordinatorOptions& options, const StoreImage& image,
           NodeRegistry& nodes);

    // ---- what agents say ----
    /// Applies what a report says of instances. `held_back`: what an earlier leadership may have
    /// ordered, up to this generation.
    [[nodiscard]] AppliedReport apply(NodeIndex index, const Report& report,
                                      std::optional<Generation> held_back);
    /// The answer is to the poll that named orders which no answer has settled yet.
    [[nodiscard]] bool has_unsettled(NodeIndex index) const {
        return nodes_[index].settled != nodes_[index].asked_issued;
    }
    /// Its answer, which `apply` has taken in and which obeyed up to this, settles them.
    [[nodiscard]] ResolvedOrders settle(NodeIndex index, Sequence obeyed);
    /// These are gone from the node. It is to blame, but for what is exclusive, which ends with its
    /// lease; and unless it leaves, for then an agent ends all.
    void note_vanished(NodeIndex index, std::span<const Vanished> all);
    /// True once, if it is to blame.
    [[nodiscard]] bool take_vanished(NodeIndex index);
    /// Some of them could not have ended with their lease.
    [[nodiscard]] bool has_unexclusive(std::span<const Vanished> all) const;

    // ---- what becomes of nodes ----
    /// Another life of the node, perhaps on another host. Call it before that life is known.
    void begin_life(NodeIndex index);
    /// It left, and ended all that it ran unless it said otherwise.
    void on_goodbye(NodeIndex index);
    /// What follows for its copies from the facts of a node that changed. `evacuation`: all that
    /// runs there has to run elsewhere.
    void on_changed_node(NodeIndex index, std::optional<Evacuation> evacuation);
    /// The record ends.
    void remove_node(NodeIndex index);
    /// No copy on it counts, and nothing is on its way there.
    [[nodiscard]] bool is_empty(NodeIndex index) const {
        return placements.reported().count(index) == 0 && placements.orders().count(index) == 0;
    }

    Workload workload;
    Placements placements;
    Leases leases;

private:
    friend struct CoreFields;

    /// What the node runs may go on running while nobody sees it.
    void hold_all_on(NodeIndex index);
    /// How far copies are believed that this leadership did not order there.
    [[nodiscard]] Trust trust_in(NodeIndex index, bool is_first,
                                 std::optional<Generation> held_back) const;

    NodeRegistry& nodes_;
};

}  // namespace muster::coordinator
