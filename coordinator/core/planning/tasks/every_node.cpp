#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "common/base/limits.hpp"
#include "coordinator/core/planning/tasks/steps.hpp"

namespace muster::coordinator {

namespace {

/// Binds the ordinals of one task to nodes. Reports show which ordinal a node has; a node without
/// one gets the lowest free one. A lost node keeps its ordinal until it is forgotten, so that it
/// can return to it.
class Binding {
public:
    Binding(PlannerState& state, TaskIndex index)
        : state_{state},
          placements_{state.placements},
          index_{index},
          task_{state.workload[index]},
          copies_{placements_.copies().of(index)},
          bound_{task_.bound} {}

    [[nodiscard]] std::vector<NodeIndex> bring_up_to_date(bool adds) {
        at_home_.clear();
        kept_nodes_.clear();
        for (const Copy& copy : copies_) {
            if (is_ours(copy) && !is_leaving(copy)) {
                kept_nodes_.add(copy.node);
            }
        }
        for (Ordinal ordinal = 0; ordinal < bound_.size(); ++ordinal) {
            NodeIndex& node = bound_[ordinal];
            if (node != no_node && !keeps(ordinal, node)) {
                node = no_node;
            }
            if (node != no_node) {
                at_home_.add(node);
            }
        }
        bind_from_reports(false);
        bind_from_reports(true);
        if (adds) {
            add_nodes();
        }
        while (!bound_.empty() && bound_.back() == no_node) {
            bound_.pop_back();
        }
        return std::move(bound_);
    }

private:
    /// The node may keep its instance. A suspension is no obstacle, because it soon ends and no
    /// other node can run the instance.
    [[nodiscard]] bool suits(NodeIndex node) const {
        const auto evacuation = placements_.nodes().evacuation(node);
        return placements_.nodes().is_counted(node) &&
               (!evacuation || evacuation->cause == Cause::flaky) &&
               state_.requirements.admits(index_, node);
    }

    [[nodiscard]] bool keeps(Ordinal ordinal, NodeIndex node) const {
        if (!placements_.nodes().is_known(node) || !placements_.nodes().is_counted(node)) {
            return placements_.nodes().is_known(node);  // A lost node may return.
        }
        if (!suits(node)) {
            return false;
        }
        const auto same = copies_of(copies_, ordinal);
        const auto own = std::ranges::find(same, node, &Copy::node);
        if (own != same.end()) {
            return !std::ranges::any_of(same,
                                        [&](const Copy& copy) { return replaces(copy, *own); });
        }
        // The binding of an ordinal without a copy ends if a node returned with this ordinal, or if
        // its node runs another ordinal.
        return placements_.nodes().is_serving(node) && kept_nodes_.of(node) == 0 &&
               std::ranges::none_of(same, [&](const Copy& copy) {
                   return is_ours(copy) && !is_leaving(copy) && suits(copy.node);
               });
    }

    /// A running copy of the wanted version wins over an older version that was reported earlier.
    [[nodiscard]] bool replaces(const Copy& copy, const Copy& own) const {
        return is_outdated(own, task_.generation) && !is_outdated(copy, task_.generation) &&
               copy.reported && copy.state == InstanceState::running && copy.origin <= own.origin &&
               suits(copy.node);
    }

    /// Reports decide. Of two nodes with the same ordinal, the one whose copy would stay gets it.
    /// Leaving copies come last, because an agent may be replacing such a copy.
    void bind_from_reports(bool leaving) {
        for (std::size_t at = 0; at < copies_.size();) {
            const Ordinal ordinal = copies_[at].ordinal;
            const Copy* best = nullptr;
            for (; at < copies_.size() && copies_[at].ordinal == ordinal; ++at) {
                const Copy& copy = copies_[at];
                const bool may = is_ours(copy) && is_leaving(copy) == leaving && suits(copy.node) &&
                                 at_home_.of(copy.node) == 0;
                if (may && (best == nullptr || is_preferred(placements_, task_, copy, *best))) {
                    best = &copy;
                }
            }
            if (best != nullptr && ordinal < limits::nodes && is_free(ordinal)) {
                give(ordinal, best->node);
            }
        }
    }

    void add_nodes() {
        Ordinal ordinal = 0;
        auto copy = copies_.begin();
        for (const NodeIndex node : placements_.nodes().by_name()) {
            if (!placements_.nodes().is_serving(node) || !suits(node) || at_home_.of(node) > 0) {
                continue;
            }
            for (;; ++ordinal) {  // An ordinal that still runs somewhere is not free.
                copy = std::find_if(copy, copies_.end(),
                                    [&](const Copy& other) { return other.ordinal >= ordinal; });
                if (is_free(ordinal) && (copy == copies_.end() || copy->ordinal != ordinal)) {
                    break;
                }
            }
            give(ordinal, node);
        }
    }

    [[nodiscard]] bool is_free(Ordinal ordinal) const {
        return ordinal >= bound_.size() || bound_[ordinal] == no_node;
    }
    void give(Ordinal ordinal, NodeIndex node) {
        if (ordinal >= bound_.size()) {
            bound_.resize(std::size_t{ordinal} + 1, no_node);
        }
        bound_[ordinal] = node;
        at_home_.add(node);
    }

    PlannerState& state_;
    const Placements& placements_;
    TaskIndex index_;
    const Task& task_;
    std::span<const Copy> copies_;
    std::vector<NodeIndex> bound_;
    // In the scratch: nodes that have an ordinal, and nodes with a copy that stays.
    Tally<NodeIndex>& at_home_ = state_.scratch.at_home;
    Tally<NodeIndex>& kept_nodes_ = state_.scratch.kept_nodes;
};

/// Why the instance cannot start on its node now.
Obstacle why_not(const TaskStep& step, Ordinal ordinal, NodeIndex node) {
    const TaskAtHand& at = step.at;
    const FailureRecord* const failed = step.failures.find({at.index, ordinal});
    if (!at.has_all_rights()) {
        return Obstacle::recovering;
    }
    if (failed != nullptr && failed->excludes(node, at.scope.now)) {
        at.wake_for(*failed);
        return Obstacle::refused;
    }
    if (at.is_leased(ordinal) || !at.may_lease(node)) {
        return Obstacle::lease;
    }
    const Obstacle room = at.why_no_room(node);
    if (room != Obstacle::none) {
        step.shortfall.wait_for_place();
    }
    return room;
}

}  // namespace

std::vector<NodeIndex> bind_every_node(PlannerState& state, TaskIndex index, bool adds) {
    return Binding{state, index}.bring_up_to_date(adds);
}

void start_on_every_node(const TaskStep& step) {
    const TaskAtHand& at = step.at;
    at.due.wait_for_nodes(at.index);
    std::uint32_t unplaced = 0;
    std::uint32_t throttled = 0;
    Obstacle code = Obstacle::recovering;
    for (Ordinal ordinal = 0; ordinal < at.task.ordinals(); ++ordinal) {
        const Slot& slot = at.slot(ordinal);
        if (!slot.is_wanted || slot.kept != nullptr) {
            continue;
        }
        const NodeIndex node = at.task.bound[ordinal];
        const Obstacle obstacle = why_not(step, ordinal, node);
        if (obstacle != Obstacle::none) {
            ++unplaced;
            code = obstacle;
        } else if (slot.first == slot.last && step.search.is_free_of_it(node)) {
            if (step.orders.may_start()) {
                step.orders.start(
                    ordinal, node,
                    step.failures.cause_of_start({at.index, ordinal}, Cause::every_node));
            } else {
                ++throttled;
            }
        }
    }
    step.shortfall.add(Obstacle::starts_spent, throttled);
    step.shortfall.add(code, unplaced);
}

}  // namespace muster::coordinator
