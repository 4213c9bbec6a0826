#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "coordinator/core/planning/pass/choice.hpp"
#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// The balance where some nodes do not suit some instances: one move after another, each from the
/// fullest node that can give one to the least loaded node that may take it.
///
/// A move is made only if the target passes all filters, with both copies counted, if it stays
/// below the source in load, and if affinity and spread do not get worse. So the sum of the squares
/// of all loads falls with each move: it is never worse than before, and it ends.
///
/// What it does not do: it moves no two instances against each other, nor one to make room for
/// another, and it looks at so much in one pass and no more. So it may end above the best spread.
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
        state_.places.disregard_growth(state_.places.ledger().falls() - before);
    }

private:
    // Looks at a node, an instance or a copy in one pass: some milliseconds at worst.
    static constexpr std::size_t improvements_most = 200'000;

    /// Until all are decided, each move takes its place, so that no two count on the same. One
    /// whose place was given to another instance is off, and one that would even out nothing any
    /// more.
    void take_places() {
        std::vector<Moves::Decided::const_iterator> decided;
        decided.reserve(state_.places.moves().size());
        for (auto move = state_.places.moves().begin(); move != state_.places.moves().end();
             ++move) {
            decided.push_back(move);
        }
        // By name: the order of indices is that of the input, and who comes first gets the place.
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

    /// The first node of this load that may have something to give.
    [[nodiscard]] std::optional<NodeIndex> next_source(std::uint32_t load) const {
        Loads::Cursor cursor{load, 0, load};
        return state_.places.loads().next(
            cursor, [&](NodeIndex node) { return !spent_.test(state_.places.loads().rank(node)); });
    }

    [[nodiscard]] bool give(NodeIndex source) {
        const std::vector<Placements::Instance> instances = state_.placements.all_on(source);
        // Each node begins elsewhere, so that the moves of a pass are of many tasks: those of one
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
        const Copy* const stay = state_.moves.movable(task, ordinal);
        if (stay == nullptr || stay->node != source || state_.places.is_to_move(task, ordinal)) {
            return false;
        }
        const Loads& loads = state_.places.loads();
        const Task& wanted = state_.workload[task];
        // A copy that leaves only delays the carrying out.
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
    NodeSet spent_;  // By rank: nothing can be moved from there.
    std::size_t steps_left_ = 0;
};

}  // namespace muster::coordinator
