#include "coordinator/core/planning/balance/improve.hpp"

#include <algorithm>

#include "coordinator/core/planning/pass/choice.hpp"

namespace muster::coordinator {

namespace {

// Looks at a node, an instance or a copy in one round: some milliseconds at worst.
constexpr std::size_t improvements_most = 200'000;

}  // namespace

void Improve::run() {
    take_places();
    improve();
    const std::uint64_t before = places_.ledger().falls();
    for (const auto& [instance, target] : places_.moves()) {
        places_.give_up_place(instance.first, target);
    }
    places_.disregard_growth(places_.ledger().falls() - before);
}

/// Until all are decided, each move takes its place, so that no two count on the same. One whose
/// place was given to another instance is off, and one that would even out nothing any more.
void Improve::take_places() {
    std::vector<Moves::Decided::const_iterator> decided;
    decided.reserve(places_.moves().size());
    for (auto move = places_.moves().begin(); move != places_.moves().end(); ++move) {
        decided.push_back(move);
    }
    // By name: the order of indices is that of the input, and who comes first gets the place.
    std::ranges::stable_sort(decided, {}, [this](const Moves::Decided::const_iterator& move) {
        return std::string_view{workload_.name(move->first.first)};
    });
    for (const auto& move : decided) {
        if (moves_.is_worth_it(*move)) {
            places_.take_place(move->first.first, move->second);
        } else {
            moves_.revoke(move);
        }
    }
}

void Improve::improve() {
    const Loads& loads = places_.loads();
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
std::optional<NodeIndex> Improve::next_source(std::uint32_t load) const {
    Loads::Cursor cursor{load, 0, load};
    return places_.loads().next(
        cursor, [&](NodeIndex node) { return !spent_.test(places_.loads().rank(node)); });
}

bool Improve::give(NodeIndex source) {
    const std::vector<Placements::Instance> instances = placements_.all_on(source);
    // Each node begins elsewhere, so that the moves of a round are of many tasks: those of one task
    // wait for each other.
    const std::size_t first = places_.loads().rank(source);
    for (std::size_t at = 0; at < instances.size() && steps_left_ > 0; ++at) {
        const auto [task, ordinal] = instances[(first + at) % instances.size()];
        steps_left_ -= 1;
        if (places_.home(task, ordinal) == source && give(source, task, ordinal)) {
            return true;
        }
    }
    return false;
}

bool Improve::give(NodeIndex source, TaskIndex task, Ordinal ordinal) {
    const Copy* const stay = moves_.movable(task, ordinal);
    if (stay == nullptr || stay->node != source || places_.is_to_move(task, ordinal)) {
        return false;
    }
    const Loads& loads = places_.loads();
    const Task& wanted = workload_[task];
    // A copy that leaves only delays the carrying out.
    places_.count_homes(task, wanted.instances, at_home_);
    steps_left_ -= std::min<std::size_t>(steps_left_, wanted.instances);
    std::optional<Choice> choice;
    if (needs_scores(wanted.place)) {
        choice.emplace(workload_, placements_, places_, requirements_, task);
    }
    Loads::Cursor cursor{0, 0, loads.of(source) - 2};
    const auto fits = [&](NodeIndex node) {
        steps_left_ -= std::min<std::size_t>(steps_left_, 1);
        return at_home_.of(node) < wanted.spec.max_per_node &&
               (!choice || !choice->is_worse(node, source)) && steps_left_ > 0;
    };
    const auto target =
        requirements_.candidates().next({.of = requirements_.of(task)}, cursor, fits);
    if (target) {
        moves_.decide(task, ordinal, *target);
        places_.take_place(task, *target);
    }
    return target.has_value();
}

}  // namespace muster::coordinator
