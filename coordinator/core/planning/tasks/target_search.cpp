#include "coordinator/core/planning/tasks/target_search.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"

namespace muster::coordinator {

TargetSearch::TargetSearch(const TaskAtHand& at, PlannerState& state)
    : at_{at}, state_{state}, asks_{state.requirements.of(at.index)} {
    state_.scratch.copies.clear();
    for (const Copy& copy : at.reading.copies) {
        state_.scratch.copies.add(copy.node);
    }
}

std::optional<NodeIndex> TargetSearch::find(Ordinal ordinal, Loads::Cursor& cursor) {
    const auto own = at_.copies_of(at_.slot(ordinal));
    const FailureRecord* const failed = state_.failures.find({at_.index, ordinal});
    bool skipped = false;
    bool has_excluded = false;
    bool has_no_lease = false;
    const auto fits = [&](NodeIndex node) {
        if (state_.scratch.copies.of(node) >= at_.task.spec.max_per_node || !at_.has_place(node)) {
            return false;
        }
        // A node with a copy of this ordinal cannot take another one.
        const bool has_it =
            std::ranges::any_of(own, [&](const Copy& copy) { return copy.node == node; });
        const bool is_excluded = failed != nullptr && failed->excludes(node, at_.scope.now);
        const bool is_unleased = !at_.may_lease(node);
        skipped = skipped || has_it || is_excluded || is_unleased;
        has_excluded = has_excluded || is_excluded;
        has_no_lease = has_no_lease || is_unleased;
        return !has_it && !is_excluded && !is_unleased;
    };
    const bool has_scores = needs_scores(at_.task.place);
    if (has_scores && !choice_) {
        choice_.emplace(state_, at_.index);
    }
    Loads::Cursor here = cursor;
    const Candidates::Search search{.of = asks_};
    const auto target = has_scores ? choice_->best(fits)
                                   : state_.requirements.candidates().next(search, here, fits);
    if (!skipped) {
        cursor = here;
    }
    if (!target && has_excluded) {
        held_off_ = true;
        at_.wake_for(*failed);
    }
    has_no_lease_ = has_no_lease_ || (!target && has_no_lease);
    return target;
}

std::optional<NodeIndex> TargetSearch::find_home(Ordinal ordinal) {
    if (!std::exchange(homes_counted_, true)) {
        count_homes();
    }
    const auto own = at_.copies_of(at_.slot(ordinal));
    const FailureRecord* const failed = state_.failures.find({at_.index, ordinal});
    // A node without room for others may have room where the copy of this ordinal is.
    Loads::Cursor from_start;
    const bool is_shared = failed == nullptr && (own.empty() || at_.suits_all_nodes());
    Loads::Cursor& cursor = is_shared ? homes_from_ : from_start;
    const Candidates::Search search{.of = asks_, .own = own};
    const auto home = state_.requirements.candidates().next(search, cursor, [&](NodeIndex node) {
        return at_.has_place(node) &&
               state_.scratch.at_home.of(node) < at_.task.spec.max_per_node &&
               (failed == nullptr || !failed->excludes(node, at_.scope.now));
    });
    if (home) {
        state_.scratch.at_home.add(*home);
    }
    return home;
}

void TargetSearch::count_homes() {
    state_.scratch.at_home.clear();
    for (Ordinal ordinal = 0; ordinal < at_.task.instances; ++ordinal) {
        // An instance whose move has not begun is still on its node.
        const NodeIndex home =
            at_.is_to_move(ordinal) ? at_.kept(ordinal)->node : at_.home(ordinal);
        if (home != Homes::none) {
            state_.scratch.at_home.add(home);
        }
    }
}

void TargetSearch::on_placed(NodeIndex from, NodeIndex to) {
    state_.scratch.copies.add(to);
    if (choice_) {
        choice_->move(from, to);
    }
    if (homes_counted_) {
        state_.scratch.at_home.add(to);
    }
}

Obstacle TargetSearch::why_none() {
    const Loads& loads = state_.places.loads();
    if (!at_.has_all_rights()) {
        return Obstacle::recovering;
    }
    if (loads.serving() == 0) {
        return Obstacle::no_nodes;
    }
    const Verdict verdict = state_.requirements.candidates().why_none(asks_);
    if (verdict != Verdict::fits) {
        return obstacle_of(verdict);
    }
    return loads.least() < limits::instances_per_node ? Obstacle::max_per_node : Obstacle::full;
}

}  // namespace muster::coordinator
