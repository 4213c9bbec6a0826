#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Seeks an even spread: by the fewest moves of running copies where every instance may run on
/// every node, else by one improvement after another. Without `moves`, only placements of this
/// pass, which `orders` has, get other nodes.
void seek_balance(PlannerState& state, bool moves, std::vector<Order>& orders);

/// The balance of one pass: homes are changed until every serving node has floor or ceil of the
/// mean load, by the fewest moves of running copies.
///
/// Seen as a flow of instances between nodes, a placement of this very round goes elsewhere for
/// nothing, a running copy for 1. Shortest paths come first (the successive shortest path
/// algorithm): what placements can even out, Shift does. After that each move of a running copy
/// from a node with too many to one with too few is itself a shortest path, and there is one,
/// because the fuller node has a task of which the emptier one has fewer copies. That needs every
/// running copy to be movable: where some are not (no max_surge, a restart policy other than
/// `always`, or they do not run) the result may be less even, never wrong.
class Balance {
public:
    explicit Balance(PlannerState& state) : state_{state} {}

    /// The instance comes to the node by an order of this pass.
    void add_arriving(NodeIndex node, TaskIndex task, Ordinal ordinal) {
        arriving_[rank(node)].push_back({task, ordinal});
    }
    void run();

private:
    using Instances = std::vector<Placements::Instance>;

    [[nodiscard]] Rank rank(NodeIndex node) const { return state_.places.loads().rank(node); }
    void fill_up(std::uint32_t floor);
    void take_off(std::uint32_t floor);
    /// Counts the tasks that are at home there.
    void look_at(NodeIndex target);
    /// Moves one instance there from a node with at least this load.
    [[nodiscard]] bool move_to(NodeIndex target, std::uint32_t least_source);
    [[nodiscard]] bool move_between(NodeIndex source, NodeIndex target);
    /// What was on a node before the moves of this pass. Whether it may be moved is looked at when
    /// it is needed, and once.
    struct Source {
        enum class Verdict : std::uint8_t { unknown, movable, bound };
        Instances instances;
        std::vector<Verdict> verdicts;
    };
    [[nodiscard]] Source& source_at(NodeIndex node);
    [[nodiscard]] bool is_movable(Source& source, std::size_t at, NodeIndex node) const;

    PlannerState& state_;
    std::map<Rank, Instances> arriving_;  // By orders and moves of this pass.
    std::map<Rank, Source> sources_;
    std::set<Rank> spent_;  // Nothing more can be moved from there.
    Tally<TaskIndex> on_target_;
    std::size_t steps_left_ = 0;
};

}  // namespace muster::coordinator
