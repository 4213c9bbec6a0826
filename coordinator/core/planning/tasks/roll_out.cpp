#include <algorithm>
#include <optional>

#include "coordinator/core/planning/tasks/steps.hpp"

namespace muster::coordinator {

namespace {

class RollOut {
public:
    RollOut(const TaskStep& step, Tally<NodeIndex>& kept_nodes)
        : step_{step}, at_{step.at}, kept_nodes_{kept_nodes} {}

    void run() {
        if (at_.rights == TaskAtHand::Rights::none) {
            return;
        }
        kept_nodes_.clear();
        for (const Slot& slot : at_.reading.slots) {
            if (slot.kept != nullptr) {
                kept_nodes_.add(slot.kept->node);
            }
        }
        std::optional<Ordinal> next;
        std::optional<Ordinal> next_elsewhere;  // Its node does not serve.
        std::uint32_t outdated = 0;
        bool is_under_way = step_.hold.on_trial || step_.orders.has_begun();
        for (Ordinal ordinal = 0; ordinal < at_.task.ordinals(); ++ordinal) {
            const Slot& slot = at_.slot(ordinal);
            is_under_way = is_under_way || is_held_up(ordinal);
            if (slot.kept == nullptr) {
                continue;
            }
            is_under_way = is_under_way || is_rolling(slot);
            if (!is_replaceable(slot) || at_.is_leased(ordinal)) {
                continue;
            }
            if (step_.hold.only.value_or(ordinal) != ordinal) {
                continue;
            }
            if (is_down(*slot.kept)) {
                if (step_.orders.may_start()) {
                    replace_in_place(ordinal);
                }
                continue;
            }
            const bool serves = at_.placements.nodes().is_serving(slot.kept->node);
            if (!serves && at_.task.is_everywhere()) {
                continue;  // It can only be replaced on this node.
            }
            if (!serves && !may_run(*slot.kept)) {
                // It does not run, so it is stopped and then placed as missing.
                step_.orders.stop(*slot.kept, Cause::rollout);
                continue;
            }
            ++outdated;
            std::optional<Ordinal>& first = serves ? next : next_elsewhere;
            first = first ? first : ordinal;
        }
        next = next ? next : next_elsewhere;
        if (next && !is_under_way) {
            replace(*next, outdated);
        }
    }

private:
    /// The roll-out has begun with this ordinal, and its new copy does not run yet.
    [[nodiscard]] bool is_rolling(const Slot& slot) const {
        const Copy& kept = *slot.kept;
        if (has_come_up(kept, at_.task.generation)) {
            return false;
        }
        const auto copies = at_.copies_of(slot);
        return kept.orders.taken_down ||
               (is_starting(kept) && kept.generation >= at_.task.generation) ||
               (kept.generation >= at_.task.generation &&
                std::ranges::any_of(copies, [&](const Copy& copy) {
                    return copy.generation < at_.task.generation && !is_leaving(copy);
                }));
    }

    [[nodiscard]] bool is_replaceable(const Slot& slot) const {
        if (slot.kept == nullptr || slot.is_over) {
            return false;
        }
        const Copy& kept = *slot.kept;
        return is_outdated(kept, at_.task.generation) && kept.reported && !kept.orders.starting &&
               at_.placements.nodes().is_commandable(kept.node) &&
               !(at_.why_leave(kept.node) &&
                 may_run(kept));  // Moving it off the node replaces it, too.
    }

    /// It does not run, so it may be replaced in place at once.
    [[nodiscard]] bool is_down(const Copy& kept) const {
        return kept.state != InstanceState::running && at_.placements.nodes().is_serving(kept.node);
    }

    /// An instance that fails on each node it is tried on counts as a fault of the new generation.
    [[nodiscard]] bool is_held_up(Ordinal ordinal) const {
        const FailureRecord* const failed = step_.failures.find({at_.index, ordinal});
        if (failed == nullptr) {
            return false;
        }
        if (at_.kept(ordinal) == nullptr) {
            at_.wake_for(*failed);
        }
        return failed->holds_up(at_.kept(ordinal), at_.task.generation,
                                at_.is_home_counted(ordinal), at_.scope.now);
    }

    /// True if a copy may be added now.
    [[nodiscard]] bool may_surge() const {
        return step_.orders.may_start() && step_.orders.has_room() && !at_.scope.held_back &&
               at_.task.spec.update.max_surge > 0;
    }

    /// Begins the replacement of one ordinal: elsewhere first if possible, otherwise in place.
    void replace(Ordinal ordinal, std::uint32_t outdated) {
        if (!step_.orders.may_start()) {
            return;
        }
        const Slot& slot = at_.slot(ordinal);
        // With several copies on a node and none that may be taken down, the only free place may be
        // beside a copy of this ordinal. Then another ordinal may use it.
        const bool tries_others = at_.task.spec.update.max_unavailable == 0 &&
                                  at_.task.spec.max_per_node > 1 && !step_.hold.only;
        if (!at_.task.is_everywhere() && may_surge() &&
            surge(ordinal, tries_others ? at_.task.instances : 1)) {
            return;
        }
        if (step_.orders.makes_room()) {
            return;  // A leaving copy makes room elsewhere, or counts as taken down itself.
        }
        if (!at_.placements.nodes().is_serving(slot.kept->node)) {
            replace_elsewhere(ordinal, outdated);
        } else if (at_.task.spec.update.max_unavailable == 0) {
            step_.shortfall.add(Obstacle::max_unavailable, outdated);
            step_.shortfall.wait_for_place();  // Then the new copy may start elsewhere.
        } else {
            replace_in_place(ordinal);
        }
    }

    /// Starts the new copy of the ordinal, or of one of the `tried` next ordinals, on a node with
    /// room.
    [[nodiscard]] bool surge(Ordinal ordinal, std::uint32_t tried) {
        for (std::uint32_t step = 0; step < tried; ++step) {
            const Ordinal other = (ordinal + step) % at_.task.instances;
            const Slot& slot = at_.slot(other);
            if (!is_replaceable(slot) || is_down(*slot.kept)) {
                continue;
            }
            Loads::Cursor cursor;
            if (const auto target = step_.search.find(other, cursor)) {
                step_.orders.start(other, *target, Cause::rollout);
                return true;
            }
        }
        return false;
    }

    /// The copy's node does not serve. Without max_surge the copy is stopped first, once another
    /// node has a place for it.
    void replace_elsewhere(Ordinal ordinal, std::uint32_t outdated) {
        const bool may_surge = at_.task.spec.update.max_surge > 0;
        if (may_surge && !step_.orders.has_room()) {
            return;  // The copies that use the room will leave.
        }
        Loads::Cursor cursor;
        const bool may_stop = !may_surge && !at_.scope.held_back;
        const auto target =
            may_stop ? step_.search.find(ordinal, cursor) : std::optional<NodeIndex>{};
        if (target) {
            step_.orders.stop_first(ordinal, *target, Cause::rollout);
        } else {
            step_.shortfall.add(Obstacle::max_unavailable, outdated);
            step_.shortfall.wait_for_place();
        }
    }

    /// The copy is stopped and then placed as missing if a lowered max_per_node leaves no room for
    /// it, or if its node no longer suits the task.
    void replace_in_place(Ordinal ordinal) {
        const Slot& slot = at_.slot(ordinal);
        const Copy& kept = *slot.kept;
        if (at_.task.spec.exclusive && slot.last - slot.first > 1) {
            return;  // The other copy must stop first.
        }
        if (step_.failures.excludes({at_.index, ordinal}, kept.node, at_.scope.now)) {
            at_.wake_for(*step_.failures.find({at_.index, ordinal}));
            return;
        }
        if (!at_.may_lease(kept.node)) {
            return;
        }
        if (kept_nodes_.of(kept.node) > at_.task.spec.max_per_node || at_.why_leave(kept.node)) {
            kept_nodes_.remove(kept.node);
            step_.orders.stop(kept, Cause::rollout);
        } else {
            step_.orders.start(ordinal, kept.node, Cause::rollout);
        }
    }

    const TaskStep& step_;
    const TaskAtHand& at_;
    Tally<NodeIndex>& kept_nodes_;
};

}  // namespace

RollOutHold hold_of(const TaskAtHand& at, const RecentFailures& failures) {
    RollOutHold hold;
    for (Ordinal ordinal = 0; ordinal < at.task.ordinals() && !hold.on_trial; ++ordinal) {
        const Copy* const kept = at.kept(ordinal);
        hold.on_trial = kept != nullptr && is_on_trial(*kept, at.task);
    }
    hold.only = failures.unproven(at.index, at.task, at.reading);
    return hold;
}

void roll_out(const TaskStep& step, Tally<NodeIndex>& kept_nodes) {
    RollOut{step, kept_nodes}.run();
}

}  // namespace muster::coordinator
