#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/planning/tasks/task_round.hpp"

// Tasks that run one instance on each node. Their ordinals are bound to nodes: which ones is
// learned from reports, and a node that has none gets the lowest that is free. A lost node keeps
// its own until it is forgotten, so it comes back to it.
namespace muster::coordinator {

namespace {

/// Gives the ordinals of one task to nodes.
class Binding {
public:
    Binding(PlannerState& state, TaskIndex index)
        : state_{state},
          task_{state.workload[index]},
          asks_{state.of(index).asks},
          copies_{state.placements.copies().of(index)},
          bound_{task_.bound} {}

    [[nodiscard]] std::vector<NodeIndex> bring_up_to_date(bool adds) {
        state_.at_home.clear();
        state_.staying.clear();
        for (const Copy& copy : copies_) {
            if (tells_ordinal(copy) && !is_leaving(copy)) {
                state_.staying.add(copy.node);
            }
        }
        for (Ordinal ordinal = 0; ordinal < bound_.size(); ++ordinal) {
            NodeIndex& node = bound_[ordinal];
            if (node != no_node && !keeps(ordinal, node)) {
                node = no_node;
            }
            if (node != no_node) {
                state_.at_home.add(node);
            }
        }
        learn(false);
        learn(true);
        if (adds) {
            add_nodes();
        }
        while (!bound_.empty() && bound_.back() == no_node) {
            bound_.pop_back();
        }
        return std::move(bound_);
    }

private:
    /// The node may go on with what it runs: a penalty soon ends, and no other node can have it.
    [[nodiscard]] bool suits(NodeIndex node) const {
        const auto evacuation = state_.placements.nodes().evacuation(node);
        return state_.placements.nodes().is_counted(node) &&
               (!evacuation || evacuation->cause == Cause::flaky) &&
               state_.candidates.admits(asks_, node);
    }

    [[nodiscard]] bool keeps(Ordinal ordinal, NodeIndex node) const {
        const Placements& placements = state_.placements;
        if (!placements.nodes().is_known(node) || !placements.nodes().is_counted(node)) {
            return placements.nodes().is_known(node);  // Lost: it may come back.
        }
        if (!suits(node)) {
            return false;
        }
        const auto same = copies_of(copies_, ordinal);
        const auto own = std::ranges::find(same, node, &Copy::node);
        if (own != same.end()) {
            return !std::ranges::any_of(same, [&](const Copy& copy) { return ousts(copy, *own); });
        }
        // What began nowhere yet under this ordinal gives way to what came back with it, and to
        // what its node runs under another.
        return placements.nodes().is_serving(node) && state_.staying.of(node) == 0 &&
               std::ranges::none_of(same, [&](const Copy& copy) {
                   return tells_ordinal(copy) && !is_leaving(copy) && suits(copy.node);
               });
    }

    /// What is only claimed tells nothing.
    static bool tells_ordinal(const Copy& copy) {
        return copy.generation != Generation{} && copy.origin != Origin::claimed;
    }

    /// The wanted version that runs is not stopped for an older one that was reported before it.
    [[nodiscard]] bool ousts(const Copy& copy, const Copy& own) const {
        return is_outdated(own, task_.generation) && !is_outdated(copy, task_.generation) &&
               copy.reported && copy.state == InstanceState::running && copy.origin <= own.origin &&
               suits(copy.node);
    }

    /// What is reported decides; of two nodes with the same ordinal, the one whose copy would stay.
    /// What leaves is asked last: it may be on its way to be replaced by its agent.
    void learn(bool leaving) {
        for (std::size_t at = 0; at < copies_.size();) {
            const Ordinal ordinal = copies_[at].ordinal;
            const Copy* best = nullptr;
            for (; at < copies_.size() && copies_[at].ordinal == ordinal; ++at) {
                const Copy& copy = copies_[at];
                const bool may = tells_ordinal(copy) && is_leaving(copy) == leaving &&
                                 suits(copy.node) && state_.at_home.of(copy.node) == 0;
                if (may &&
                    (best == nullptr || stays_before(state_.placements, task_, copy, *best))) {
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
        for (const NodeIndex node : state_.placements.nodes().by_name()) {
            if (!state_.placements.nodes().is_serving(node) || !suits(node) ||
                state_.at_home.of(node) > 0) {
                continue;
            }
            for (;; ++ordinal) {  // Not one that still runs somewhere, either.
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
        state_.at_home.add(node);
    }

    PlannerState& state_;
    const Task& task_;
    ClassIndex asks_;
    std::span<const Copy> copies_;
    std::vector<NodeIndex> bound_;
};

}  // namespace

void PlannerState::bind_every_node(TaskIndex index, const Scope& scope) {
    const bool is_held_back = scope.held_back && workload[index].created <= *scope.held_back;
    workload.bind(index, Binding{*this, index}.bring_up_to_date(!is_held_back));
}

/// Nothing is ever moved: what a node is to be left by is stopped there, and follows to no other.
void TaskRound::plan_every_node() {
    const auto orders_before = static_cast<std::ptrdiff_t>(orders_.size());
    state_.unblock(index_);
    state_.mark(state_.waiting, &PlannerState::PerTask::waiting, index_);
    look_after_troubles();
    room_ = task_.ordinals();
    for (const Copy& copy : state_.reading.copies) {
        const bool is_bound =
            copy.ordinal < task_.bound.size() && task_.bound[copy.ordinal] == copy.node;
        if (!is_bound || copy.origin == Origin::claimed) {
            const auto why = why_leave(copy.node);
            stop(copy, why ? why->cause : Cause::surplus);
        }
    }
    sort_by_name(orders_before);
    start_on_every_node();
    roll_out();
    if (rights_ != Rights::all && shortages_.empty()) {
        shortages_.push_back({recovering_code, 0});  // How many there are is not known.
    }
}

void TaskRound::start_on_every_node() {
    std::uint32_t unplaced = 0;
    std::uint32_t throttled = 0;
    std::string_view code = recovering_code;
    for (Ordinal ordinal = 0; ordinal < task_.ordinals(); ++ordinal) {
        const Slot& slot = state_.reading.slots[ordinal];
        if (!slot.is_wanted || slot.stay != nullptr) {
            continue;
        }
        const NodeIndex node = task_.bound[ordinal];
        const Trouble* const trouble = trouble_of(ordinal);
        if (rights_ != Rights::all) {
            ++unplaced;
        } else if (trouble != nullptr && trouble->shuns(node, scope_.now)) {
            wake_for(*trouble);
            ++unplaced;
            code = refused_code;
        } else if (is_leased(ordinal) || !may_lease(node)) {
            ++unplaced;
            code = lease_code;
        } else if (const Verdict room = state_.candidates.judge_room(asks_, node);
                   room != Verdict::fits || !has_place(node)) {
            wait_for_place();
            ++unplaced;
            code = to_string(room == Verdict::fits ? Verdict::full : room);
        } else if (slot.first == slot.last && state_.occupancy.of(node) == 0) {
            if (may_start()) {
                start(ordinal, node, trouble != nullptr ? Cause::retry : Cause::every_node);
            } else {
                ++throttled;
            }
        }
    }
    if (throttled > 0) {
        fall_short(starts_spent_code, throttled);
    }
    if (unplaced > 0) {
        fall_short(code, unplaced);
    }
}

}  // namespace muster::coordinator
