#include "coordinator/core/planning/pass/move_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace muster::coordinator {

namespace {

// Tasks looked at for each move that may begin, and besides.
constexpr std::size_t looks_for_each = 4;
constexpr std::size_t looks_at_least = 64;

/// By spread and group its instance would be worse off at the target than where it runs, as long as
/// the others are where they are to be. `choice` counts it at the target.
bool makes_worse(Choice& choice, NodeIndex from, NodeIndex target) {
    choice.move(target, from);
    const bool is_worse = choice.is_worse(target, from);
    choice.move(from, target);
    return is_worse;
}

}  // namespace

std::optional<Instant> MoveQueue::rests_until(TaskIndex index, Ordinal ordinal) const {
    const auto rest = resting_.find({index, ordinal});
    return rest == resting_.end() ? std::nullopt : std::optional{rest->second};
}

void MoveQueue::end_rests(Instant now) {
    while (!rests_.empty() && rests_.front().first <= now) {
        const auto [end, instance] = rests_.front();
        rests_.pop_front();
        const auto rest = resting_.find(instance);
        if (rest != resting_.end() && rest->second == end) {
            resting_.erase(rest);
            if (places_.moves().contains(instance)) {
                moves_.turns().add(instance.first);
            }
        }
    }
}

void MoveQueue::begin(const Scope& scope, std::uint32_t budget, const TaskList& ordered,
                      std::vector<Order>& orders) {
    end_rests(scope.now);
    TaskTurns& turns = moves_.turns();
    turns.line_up(workload_);
    // What cannot begin now costs a look; so many suffice to find what can, in turn.
    std::size_t looks = looks_for_each * budget + looks_at_least;
    while (looks > 0 && budget > 0 && !turns.empty()) {
        const TaskIndex task = turns.next();
        if (!places_.is_any_to_move(task)) {
            continue;
        }
        --looks;
        ++looks_;
        if (ordered.contains(task)) {
            turns.add(task);  // What is urgent comes first.
        } else {
            begin(task, scope, budget, orders);
        }
    }
}

void MoveQueue::begin(TaskIndex index, const Scope& scope, std::uint32_t& budget,
                      std::vector<Order>& orders) {
    moves_.revoke_crowded(index, scratch_.at_home);
    const Task& wanted = workload_[index];
    const std::span<const Copy> copies = placements_.copies().of(index);
    scratch_.copies.clear();
    for (const Copy& copy : copies) {
        scratch_.copies.add(copy.node);
    }
    const std::size_t most = std::size_t{wanted.instances} + wanted.spec.update.max_surge;
    std::size_t room = most - std::min(most, copies.size());
    const std::size_t ordered_before = orders.size();
    bool any_rests = false;
    std::optional<Choice> choice;
    const auto give_up = [&](Moves::Decided::const_iterator move) {
        const auto [instance, target] = *move;
        moves_.revoke(move);
        if (choice) {
            choice->move(target, places_.home(index, instance.second));
        }
    };
    auto next = places_.moves().lower_bound({index, 0});
    while (next != places_.moves().end() && next->first.first == index) {
        const auto move = next++;
        if (!moves_.is_worth_it(*move)) {
            give_up(move);
            continue;
        }
        if (resting_.contains(move->first)) {
            any_rests = true;  // The end of its rest brings its task back.
            continue;
        }
        const auto [instance, target] = *move;
        const Ordinal ordinal = instance.second;
        const bool has_double = copies_of(copies, ordinal).size() > 1;
        const bool fits = scratch_.copies.of(target) < wanted.spec.max_per_node;
        if (room == 0 || budget == 0 || has_double || !fits) {
            moves_.turns().add(index);  // A copy that leaves must be gone first.
            continue;
        }
        if (needs_scores(wanted.place) && !choice) {
            choice.emplace(workload_, placements_, places_, requirements_, index);
        }
        if (choice && makes_worse(*choice, moves_.movable(index, ordinal)->node, target)) {
            give_up(move);
            continue;
        }
        scratch_.copies.add(target);
        places_.take_place(index, target);
        orders.push_back(
            {Order::Action::start, Cause::balance, index, ordinal, target, wanted.generation});
        due_.add(index);
        --room;
        --budget;
        if (scope.move_cooldown > Duration{}) {
            resting_[instance] = scope.now + scope.move_cooldown;
            rests_.emplace_back(scope.now + scope.move_cooldown, instance);
        }
    }
    const bool may_begin = room > 0 && budget > 0 && copies.size() <= wanted.instances;
    if (may_begin && !any_rests && orders.size() == ordered_before) {
        moves_.revoke_all(index);  // Each waits for another one's place, in a circle.
    }
}

}  // namespace muster::coordinator
