#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Evens out loads by the placements of this very round alone: nobody runs them yet, so another
/// node costs nothing. An instance goes from a node to one with at least two fewer, directly or
/// along a chain of nodes, each of which takes one and gives one; until there is no such chain.
///
/// The nodes form a graph: an edge from the node of a placement to each node that may take it. The
/// search is breadth first, from the most loaded node on, and bounded in all.
class Shift {
public:
    Shift(PlannerState& state, std::vector<Order>& orders)
        : state_{state}, copies_{state.scratch.copies}, orders_{orders} {}

    void run();

private:
    using OrderIndex = std::size_t;
    /// How the search came to a node: this order's instance would go there from that node.
    struct Step {
        Rank from = 0;
        OrderIndex order = 0;
    };

    [[nodiscard]] Rank rank(NodeIndex node) const { return state_.places.loads().rank(node); }
    [[nodiscard]] bool is_worth_it() const;
    [[nodiscard]] std::vector<NodeIndex> sources() const;
    [[nodiscard]] bool shift_from(NodeIndex source);
    void carry_out(Step last, NodeIndex end, Rank source);
    /// A node with at most this load that may take the instance.
    [[nodiscard]] std::optional<NodeIndex> find_end(OrderIndex order, std::uint32_t most);
    void reach(Rank from, OrderIndex order, std::vector<NodeIndex>& queue);
    void count_copies(OrderIndex at);
    [[nodiscard]] bool fits(OrderIndex at, NodeIndex node) const;
    void rehome(OrderIndex at, NodeIndex to);

    PlannerState& state_;
    Tally<NodeIndex>& copies_;  // Of the task of the order at hand.
    std::vector<Order>& orders_;
    std::map<Rank, std::vector<OrderIndex>> fresh_;  // What may be shifted, by node.
    std::map<Rank, Step> reached_;
    std::vector<NodeIndex> unreached_;
    std::size_t steps_left_ = 0;
};

}  // namespace muster::coordinator
