#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "coordinator/core/planning/index/scores.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// Which of the nodes that fit is best for the next instance of a task that spreads over the values
/// of a label or names a group. For all other tasks it is the first one found.
///
/// Within one task's round nodes only fill up. So a value that was found to have no node left is
/// not looked for again: the search through all nodes is made once a value, not once an instance.
class Choice {
public:
    Choice(PlannerState& state, TaskIndex task);

    /// Load and name are the order in which candidates are found; what comes before them in a score
    /// is looked for here.
    template <class Fits>
    [[nodiscard]] std::optional<NodeIndex> best(const Fits& fits);
    /// 0 idle and warm for the task's group, 1 of no group, 2 any other; 0 without a group.
    [[nodiscard]] std::uint32_t affinity_of(NodeIndex node) const;
    /// An instance of the task is at home there now; before, on this node, on a lost one or none.
    void move(NodeIndex from, NodeIndex to);
    [[nodiscard]] Score score_of(NodeIndex node) const;
    /// An instance that is at home on `from` would be worse off on the node, whatever the loads.
    [[nodiscard]] bool is_worse(NodeIndex node, NodeIndex from) const;

private:
    using Value = std::uint32_t;

    template <class Fits>
    [[nodiscard]] std::optional<NodeIndex> best_within(const NodeSet* within, const Fits& fits);
    [[nodiscard]] Value value_of(NodeIndex node) const {
        // A node that came after the values were looked up counts as one without the label.
        return values_ == nullptr || raw(node) >= values_->of.size() ? 0 : values_->of[raw(node)];
    }
    /// The least count of a value that may yet have a node.
    [[nodiscard]] std::uint32_t least_count() const;
    void find_warm();
    void add(NodeIndex node);
    void exhaust_below(std::uint32_t count);

    PlannerState& state_;
    TaskIndex task_;
    std::string_view group_;               // Empty: none.
    NodeSet warm_;                         // With a group: the nodes warm for it,
    NodeSet cold_;                         // and those warm for none.
    const LabelValues* values_ = nullptr;  // Null: no spread.
    std::vector<std::uint32_t> counts_;    // By value: instances at home there.
    std::vector<bool> exhausted_;          // By value.
};

template <class Fits>
std::optional<NodeIndex> Choice::best(const Fits& fits) {
    if (!group_.empty()) {
        const auto is_idle = [&](NodeIndex node) {
            return state_.groups.is_idle(node) && fits(node);
        };
        if (const auto warm = best_within(&warm_, is_idle)) {
            return warm;
        }
        if (const auto cold = best_within(&cold_, fits)) {
            return cold;
        }
    }
    return best_within(nullptr, fits);
}

template <class Fits>
std::optional<NodeIndex> Choice::best_within(const NodeSet* within, const Fits& fits) {
    const Candidates::Search search{.of = state_.of(task_).asks, .within = within};
    const std::uint32_t least = least_count();
    std::optional<NodeIndex> best;
    std::uint32_t of_best = 0;
    Loads::Cursor cursor;
    const auto is_better = [&](NodeIndex node) {
        return (!best || counts_[value_of(node)] < of_best) && fits(node);
    };
    while (const auto node = state_.candidates.next(search, cursor, is_better)) {
        best = node;
        of_best = counts_[value_of(*node)];
        if (of_best <= least) {
            return best;
        }
    }
    if (within == nullptr) {
        exhaust_below(best ? of_best : ~std::uint32_t{0});
    }
    return best;
}

}  // namespace muster::coordinator
