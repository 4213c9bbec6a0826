#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "coordinator/core/planning/index/scores.hpp"
#include "coordinator/core/planning/pass/requirements.hpp"

namespace muster::coordinator {

struct PlannerState;

/// Chooses the best fitting node for the next instance of a task with `spread` or a group. For
/// other tasks the first node found is the best.
///
/// While one task is planned, nodes only fill up. So a value without a fitting node is not searched
/// again: all nodes are searched once per value, not once per instance.
class Choice {
public:
    Choice(PlannerState& state, TaskIndex task);

    /// The fitting node with the least score.
    [[nodiscard]] std::optional<NodeIndex> best(const auto& fits);
    /// 0 idle and warm for the task's group, 1 of no group, 2 any other; 0 without a group.
    [[nodiscard]] std::uint32_t affinity_of(NodeIndex node) const;
    /// An instance of the task has the home `to` now. `from` may be a lost node or none.
    void move(NodeIndex from, NodeIndex to);
    [[nodiscard]] Score score_of(NodeIndex node) const;
    /// True if the node is worse than `from`, the present home of an instance, without regard to
    /// loads.
    [[nodiscard]] bool is_worse(NodeIndex node, NodeIndex from) const;

private:
    using Value = std::uint32_t;
    static constexpr std::uint32_t affinity_most = 2;

    [[nodiscard]] std::optional<NodeIndex> best_within(const NodeSet* within,
                                                       std::uint32_t affinity, const auto& fits);
    [[nodiscard]] Value value_of(NodeIndex node) const {
        // A node that was added after the values were read counts as one without the label.
        return values_ == nullptr || raw(node) >= values_->of.size() ? 0 : values_->of[raw(node)];
    }
    /// The least count of a value that may still have a node.
    [[nodiscard]] std::uint32_t least_count() const;
    void find_warm();
    void add(NodeIndex node);
    void exhaust_below(std::uint32_t count);

    const Placements& placements_;
    const Places& places_;
    Candidates& candidates_;
    ClassIndex asks_;
    std::string_view group_;               // Empty: none.
    NodeSet warm_;                         // With a group: nodes warm for the group,
    NodeSet cold_;                         // and nodes warm for none.
    const LabelValues* values_ = nullptr;  // Null: no spread.
    std::vector<std::uint32_t> counts_;    // By value: instances with a home there.
    std::vector<bool> exhausted_;          // By value.
};

std::optional<NodeIndex> Choice::best(const auto& fits) {
    if (!group_.empty()) {
        if (const auto warm = best_within(&warm_, 0, fits)) {
            return warm;
        }
        if (const auto cold = best_within(&cold_, 1, fits)) {
            return cold;
        }
    }
    return best_within(nullptr, affinity_most, fits);
}

/// The best node in the set with this affinity or a better one.
std::optional<NodeIndex> Choice::best_within(const NodeSet* within, std::uint32_t affinity,
                                             const auto& fits) {
    const Candidates::Search search{.of = asks_, .within = within};
    // Nodes come in the order of load, then name. So no later node has a lower score than
    // `least_left` with the load and name of the present node.
    Score least_left{.affinity = group_.empty() ? 0 : affinity, .spread = least_count()};
    std::optional<NodeIndex> best;
    Score of_best;
    Loads::Cursor cursor;
    const auto is_better = [&](NodeIndex node) {
        const Score score = score_of(node);
        return score.affinity <= affinity && (!best || score < of_best) && fits(node);
    };
    while (const auto node = candidates_.next(search, cursor, is_better)) {
        best = node;
        of_best = score_of(*node);
        least_left.load = of_best.load;
        least_left.rank = of_best.rank;
        if (of_best <= least_left) {
            return best;
        }
    }
    if (within == nullptr) {
        exhaust_below(best ? of_best.spread : ~std::uint32_t{0});
    }
    return best;
}

}  // namespace muster::coordinator
