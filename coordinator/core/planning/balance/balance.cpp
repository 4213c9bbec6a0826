#include "coordinator/core/planning/balance/balance.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "coordinator/core/planning/balance/improve.hpp"
#include "coordinator/core/planning/balance/shift.hpp"

namespace muster::coordinator {

namespace {

// Nodes tried as the source of a move in one pass; far more than successful moves need.
constexpr std::size_t steps_most = 5'000'000;

/// The balance of one pass: it changes homes until every serving node has floor or ceil of the mean
/// load, by the fewest moves of running copies.
///
/// This is a flow of instances between nodes: moving a placement of this pass costs 0, moving a
/// running copy costs 1. Shortest paths come first (the successive shortest path algorithm): Shift
/// moves the placements of this pass. After that, each move of a running copy from a node with too
/// many to one with too few is a shortest path. Such a move exists, because the fuller node has a
/// task with fewer copies on the emptier node. That needs every running copy to be movable. If some
/// are not (no max_surge, a restart policy other than `always`, or not running), the result may be
/// less even, but is never wrong.
class Balance {
public:
    explicit Balance(PlannerState& state) : state_{state} {}

    /// The instance gets to the node by an order of this pass.
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

    /// Nodes below the floor get instances from the most loaded nodes.
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

    /// Nodes above the ceiling give instances to the least loaded nodes.
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
    /// Counts the homes on the node by task.
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
        // Each pair of nodes begins with another instance, so that a pass moves many tasks: moves
        // of one task wait for each other.
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
    /// The instances on a node before the moves of this pass. Each is checked at most once whether
    /// it may move.
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
    std::set<Rank> spent_;  // Nodes from which nothing more can move.
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
