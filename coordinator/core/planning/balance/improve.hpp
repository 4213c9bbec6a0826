#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// The balance if some nodes do not suit some instances: one move after another, each from the
/// fullest node that can give one to the least loaded node that may take it.
///
/// A move needs a target that passes all filters with both copies counted and stays below the
/// source in load. Affinity and spread must not get worse. So the sum of the squares of all loads
/// falls with each move: the result is never worse than before, and the loop ends.
///
/// It makes no swaps and no moves that only make room for another move, and its work in one pass is
/// bounded. So it might not reach the best spread.
class Improve {
public:
    explicit Improve(PlannerState& state) : state_{state} {}

    void run() {
        take_places();
        improve();
        const std::uint64_t before = state_.places.ledger().falls();
        for (const auto& [instance, target] : state_.places.moves()) {
            state_.places.give_up_place(instance.first, target);
        }
        state_.places.ignore_room_growth(state_.places.ledger().falls() - before);
    }

private:
    // Checks of a node, an instance or a copy in one pass: some milliseconds at worst.
    static constexpr std::size_t improvements_most = 200'000;

    /// Each decided move reserves its place while more moves are decided, so that no two use the
    /// same room. A move whose place is gone, or that no longer evens anything out, is revoked.
    void take_places() {
        std::vector<Moves::Decided::const_iterator> decided;
        decided.reserve(state_.places.moves().size());
        for (auto move = state_.places.moves().begin(); move != state_.places.moves().end();
             ++move) {
            decided.push_back(move);
        }
        // By name, because the first move gets the place, and the order of indices depends on the
        // input.
        std::ranges::stable_sort(decided, {}, [this](const Moves::Decided::const_iterator& move) {
            return std::string_view{state_.workload.name(move->first.first)};
        });
        for (const auto& move : decided) {
            if (state_.moves.is_worth_it(*move)) {
                state_.places.take_place(move->first.first, move->second);
            } else {
                state_.moves.revoke(move);
            }
        }
    }

    void improve() {
        const Loads& loads = state_.places.loads();
        if (loads.is_even()) {
            return;
        }
        steps_left_ = improvements_most;
        spent_ = NodeSet{loads.known()};
        std::uint32_t load = loads.most();
        while (load >= loads.least() + 2 && steps_left_ > 0) {
            const auto source = next_source(load);
            if (!source) {
                --load;
            } else if (!give(*source)) {
                spent_.set(loads.rank(*source));
            }
        }
    }

    /// The first node of this load that may have an instance to give.
    [[nodiscard]] std::optional<NodeIndex> next_source(std::uint32_t load) const {
        Loads::Cursor cursor{load, 0, load};
        return state_.places.loads().next(
            cursor, [&](NodeIndex node) { return !spent_.test(state_.places.loads().rank(node)); });
    }

    [[nodiscard]] bool give(NodeIndex source) {
        const std::vector<Placements::Instance> instances = state_.placements.all_on(source);
        // Each node begins with another instance, so that a pass moves many tasks: moves of one
        // task wait for each other.
        const std::size_t first = state_.places.loads().rank(source);
        for (std::size_t at = 0; at < instances.size() && steps_left_ > 0; ++at) {
            const auto [task, ordinal] = instances[(first + at) % instances.size()];
            steps_left_ -= 1;
            if (state_.places.home(task, ordinal) == source && give(source, task, ordinal)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool give(NodeIndex source, TaskIndex task, Ordinal ordinal) {
        const Copy* const kept = state_.moves.movable(task, ordinal);
        if (kept == nullptr || kept->node != source || state_.places.is_to_move(task, ordinal)) {
            return false;
        }
        const Loads& loads = state_.places.loads();
        const Task& wanted = state_.workload[task];
        // A leaving copy only delays the move, so homes are counted, not copies.
        state_.places.count_homes(task, wanted.instances, state_.scratch.at_home);
        steps_left_ -= std::min<std::size_t>(steps_left_, wanted.instances);
        std::optional<Choice> choice;
        if (needs_scores(wanted.place)) {
            choice.emplace(state_, task);
        }
        Loads::Cursor cursor{0, 0, loads.of(source) - 2};
        const auto fits = [&](NodeIndex node) {
            steps_left_ -= std::min<std::size_t>(steps_left_, 1);
            return state_.scratch.at_home.of(node) < wanted.spec.max_per_node &&
                   (!choice || !choice->is_worse(node, source)) && steps_left_ > 0;
        };
        const auto target = state_.requirements.candidates().next(
            {.of = state_.requirements.of(task)}, cursor, fits);
        if (target) {
            state_.moves.decide(task, ordinal, *target);
            state_.places.take_place(task, *target);
        }
        return target.has_value();
    }

    PlannerState& state_;
    NodeSet spent_;  // By rank: nodes from which nothing can move.
    std::size_t steps_left_ = 0;
};

}  // namespace muster::coordinator
