#include "coordinator/core/planning/pass/choice.hpp"

#include <algorithm>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

Choice::Choice(PlannerState& state, TaskIndex task)
    : placements_{state.placements},
      places_{state.places},
      candidates_{state.requirements.candidates()},
      asks_{state.requirements.of(task)},
      counts_(1) {
    const Task& wanted = state.workload[task];
    if (!wanted.place.spread.empty()) {
        values_ = &state.requirements.values_of(wanted.place.spread);
        counts_.assign(values_->count, 0);
    }
    exhausted_.assign(counts_.size(), false);
    group_ = wanted.place.group;
    if (!group_.empty()) {
        find_warm();
    }
    for (Ordinal ordinal = 0; ordinal < wanted.instances; ++ordinal) {
        const NodeIndex home = places_.home(task, ordinal);
        if (placements_.nodes().is_counted(home)) {
            add(home);
        }
    }
}

void Choice::find_warm() {
    const Loads& loads = places_.loads();
    warm_ = cold_ = NodeSet{loads.known()};
    for (Rank rank = 0; rank < loads.known(); ++rank) {
        const std::string_view warm = places_.groups().warm_for(loads.at(rank));
        if (warm.empty()) {
            cold_.set(rank);
        } else if (warm == group_) {
            warm_.set(rank);
        }
    }
}

std::uint32_t Choice::affinity_of(NodeIndex node) const {
    const Rank rank = places_.loads().rank(node);
    if (group_.empty() || (warm_.test(rank) && places_.groups().is_idle(node))) {
        return 0;
    }
    return cold_.test(rank) ? 1 : 2;
}

void Choice::move(NodeIndex from, NodeIndex to) {
    if (values_ != nullptr && placements_.nodes().is_counted(from)) {
        counts_[value_of(from)] -= 1;
    }
    add(to);
}

void Choice::add(NodeIndex node) {
    if (values_ != nullptr) {
        counts_[value_of(node)] += 1;
    }
}

std::uint32_t Choice::least_count() const {
    std::uint32_t least = ~std::uint32_t{0};
    for (std::size_t value = 0; value < counts_.size(); ++value) {
        least = exhausted_[value] ? least : std::min(least, counts_[value]);
    }
    return least;
}

void Choice::exhaust_below(std::uint32_t count) {
    for (std::size_t value = 0; value < counts_.size(); ++value) {
        exhausted_[value] = exhausted_[value] || counts_[value] < count;
    }
}

bool Choice::is_worse(NodeIndex node, NodeIndex from) const {
    const bool stays = value_of(node) == value_of(from);
    // The affinity of its present node counts as 0.
    return affinity_of(node) > 0 ||
           (!stays && counts_[value_of(node)] + 1 > counts_[value_of(from)]);
}

Score Choice::score_of(NodeIndex node) const {
    const Loads& loads = places_.loads();
    return {.affinity = affinity_of(node),
            .spread = counts_[value_of(node)],
            .load = loads.of(node),
            .rank = loads.rank(node)};
}

}  // namespace muster::coordinator
