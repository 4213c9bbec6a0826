#include "coordinator/core/planning/balance/balance.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "coordinator/core/planning/balance/improve.hpp"
#include "coordinator/core/planning/balance/shift.hpp"

namespace muster::coordinator {

namespace {

// Nodes tried as the source of a move, in one pass; far more than moves that succeed need.
constexpr std::size_t steps_most = 5'000'000;

/// The balance of one pass: homes are changed until every serving node has floor or ceil of the
/// mean load, by the fewest moves of running copies.
///
/// Seen as a flow of instances between nodes, a placement of this very pass goes elsewhere for
/// nothing, a running copy for 1. Shortest paths come first (the successive shortest path
/// algorithm): what placements can even out, Shift does. After that each move of a running copy
/// from a node with too many to one with too few is itself a shortest path, and there is one,
/// because the fuller node has a task of which the emptier one has fewer copies. That needs every
/// running copy to be movable: where some are not (no max_surge, a restart policy other than
/// `always`, or they do not run) the result may be less even, never wrong.
class Balance {
public:
    explicit Balance(PlannerState& state) : state_{state} {}

    /// The instance comes to the node by an order of this pass.
    void add_arriving(NodeIndex node, TaskIndex task, Ordinal ordinal) {
        arriving_[rank(node)].push_back({task, ordinal});
    }

    void run() {
        const Loads& loads = state_.places.loads();
        steps_left_ = steps_most;
        const auto floor = static_cast<std::uint32_t>(loads.sum() / loads.serving());
        fill_up(floor);
        take_off(floor);
    }

private:
    using Instances = std::vector<Placements::Instance>;

    [[nodiscard]] Rank rank(NodeIndex node) const { return state_.places.loads().rank(node); }

    /// Nodes below the floor get what they lack, from the most loaded ones.
    void fill_up(std::uint32_t floor) {
        const Loads& loads = state_.places.loads();
        for (std::uint32_t load = loads.least(); load < floor; ++load) {
            for (const NodeIndex target : loads.with(load)) {
                look_at(target);
                while (loads.of(target) < floor && move_to(target, loads.of(target) + 2)) {
                }
            }
        }
    }

    /// Nodes above the ceiling give what they have too many, to the least loaded ones.
    void take_off(std::uint32_t floor) {
        const Loads& loads = state_.places.loads();
        for (std::uint32_t load = loads.least(); load <= floor && !loads.is_even(); ++load) {
            for (const NodeIndex target : loads.with(load)) {
                if (loads.most() < floor + 2) {
                    return;
                }
                look_at(target);
                static_cast<void>(move_to(target, floor + 2));
            }
        }
    }
    /// Counts the tasks that are at home there.
    void look_at(NodeIndex target) {
        on_target_.clear();
        const auto count = [&](const Instances& instances) {
            for (const auto& [task, ordinal] : instances) {
                if (state_.places.home(task, ordinal) == target) {
                    on_target_.add(task);
                }
            }
        };
        count(state_.placements.all_on(target));
        count(arriving_[rank(target)]);
    }
    /// Moves one instance there from a node with at least this load.
    [[nodiscard]] bool move_to(NodeIndex target, std::uint32_t least_source) {
        const Loads& loads = state_.places.loads();
        for (std::uint32_t load = loads.most(); load >= least_source; --load) {
            Loads::Cursor cursor{load, 0};
            while (steps_left_ > 0) {
                const auto source = loads.next(cursor, [&](NodeIndex node) {
                    steps_left_ -= std::min<std::size_t>(steps_left_, 1);
                    return loads.of(node) > load || !spent_.contains(rank(node));
                });
                if (!source || loads.of(*source) > load) {
                    break;
                }
                if (move_between(*source, target)) {
                    return true;
                }
            }
        }
        return false;
    }

    [[nodiscard]] bool move_between(NodeIndex source, NodeIndex target) {
        Source& from = source_at(source);
        bool has_any = false;
        // Each pair of nodes begins elsewhere, so that the moves of a pass are of many tasks:
        // those of one task wait for each other.
        const std::size_t first = std::size_t{rank(source)} + rank(target);
        for (std::size_t step = 0; step < from.instances.size(); ++step) {
            const std::size_t at = (first + step) % from.instances.size();
            const auto [task, ordinal] = from.instances[at];
            if (state_.places.home(task, ordinal) != source) {
                continue;
            }
            if (on_target_.of(task) >= state_.workload[task].spec.max_per_node ||
                state_.failures.excludes({task, ordinal}, target, Instant{})) {
                has_any = has_any || is_movable(from, at, source);
                continue;
            }
            if (!is_movable(from, at, source)) {
                continue;
            }
            on_target_.add(task);
            arriving_[rank(target)].push_back({task, ordinal});
            state_.moves.decide(task, ordinal, target);
            return true;
        }
        if (!has_any) {
            spent_.insert(rank(source));
        }
        return false;
    }
    /// What was on a node before the moves of this pass. Whether it may be moved is looked at when
    /// it is needed, and once.
    struct Source {
        enum class Verdict : std::uint8_t { unknown, movable, bound };
        Instances instances;
        std::vector<Verdict> verdicts;
    };

    [[nodiscard]] Balance::Source& source_at(NodeIndex node) {
        const auto [found, is_new] = sources_.try_emplace(rank(node));
        Source& source = found->second;
        if (is_new) {
            source.instances = state_.placements.all_on(node);
            source.verdicts.resize(source.instances.size());
        }
        return source;
    }

    [[nodiscard]] bool is_movable(Source& source, std::size_t at, NodeIndex node) const {
        Source::Verdict& verdict = source.verdicts[at];
        if (verdict == Source::Verdict::unknown) {
            const auto [task, ordinal] = source.instances[at];
            const Copy* const copy = state_.moves.movable(task, ordinal);
            const bool moves = copy != nullptr && copy->node == node;
            verdict = moves ? Source::Verdict::movable : Source::Verdict::bound;
        }
        return verdict == Source::Verdict::movable;
    }

    PlannerState& state_;
    std::map<Rank, Instances> arriving_;  // By orders and moves of this pass.
    std::map<Rank, Source> sources_;
    std::set<Rank> spent_;  // Nothing more can be moved from there.
    Tally<TaskIndex> on_target_;
    std::size_t steps_left_ = 0;
};

}  // namespace

void seek_balance(PlannerState& state, bool moves, std::vector<Order>& orders) {
    const Loads& loads = state.places.loads();
    if (!state.requirements.is_uniform()) {
        if (moves) {
            Improve{state}.run();
        }
        return;
    }
    if (loads.is_even()) {
        return;
    }
    if (moves) {
        state.moves.revoke_all();
    }
    Shift{state, orders}.run();
    if (loads.is_even() || !moves) {
        return;
    }
    Balance balance{state};
    for (const Order& order : orders) {
        if (order.action == Order::Action::start &&
            state.places.home(order.task, order.ordinal) == order.node) {
            balance.add_arriving(order.node, order.task, order.ordinal);
        }
    }
    for (const auto& [instance, lost_at] : state.notes.deferred) {
        const auto& [task, ordinal] = instance;
        balance.add_arriving(state.places.home(task, ordinal), task, ordinal);
    }
    balance.run();
}

}  // namespace muster::coordinator
