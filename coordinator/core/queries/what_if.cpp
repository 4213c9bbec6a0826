#include "coordinator/core/queries/what_if.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/spec/placement.hpp"
#include "coordinator/core/planning/index/homes.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/matching.hpp"

namespace muster::coordinator {

namespace {

using Instance = std::pair<TaskIndex, Ordinal>;
using Causes = std::map<Instance, Cause>;

/// The hypothetical cluster of a plan request.
class HypotheticalCluster {
public:
    HypotheticalCluster(const Workload& workload, const Placements& placements,
                        const Planner& planner)
        : workload_{workload}, placements_{placements, workload_} {
        workload_.touch_all();
        planner_.learn_failures(planner);
    }

    void fail(NodeIndex node) {
        placements_.set_serving(node, false);
        placements_.set_commandable(node, false);
        placements_.set_counted(node, false);
    }
    void leave_out(TaskIndex task) { workload_.unwant(task); }
    /// Adds nodes like the middle one, by name, of those that serve, or of all if none serves.
    /// Returns the name of that node, or nothing if there is none.
    std::string add_nodes(std::uint32_t count);
    void plan(Instant now, Rebalance mode, bool is_asked);

    [[nodiscard]] const Workload& workload() const { return workload_; }
    [[nodiscard]] const Placements& placements() const { return placements_; }
    [[nodiscard]] const Planner& planner() const { return planner_; }
    [[nodiscard]] std::string cause_of(Instance instance, bool is_missing) const {
        const auto found = causes_.find(instance);
        return std::string{to_string(found != causes_.end() ? found->second
                                     : is_missing           ? Cause::missing
                                                            : Cause::balance)};
    }

private:
    void plan(const Scope& scope);

    Workload workload_;
    Placements placements_;
    Planner planner_{workload_, placements_};
    Causes causes_;
};

std::string HypotheticalCluster::add_nodes(std::uint32_t count) {
    const auto known = placements_.nodes().by_name();
    std::uint32_t index = 0;
    for (const NodeIndex node : known) {
        index = std::max(index, raw(node) + 1);
    }
    std::set<std::string, std::less<>> names;
    for (const NodeIndex node : known) {
        names.emplace(placements_.nodes().name(node));
    }
    std::vector<NodeIndex> examples;
    std::ranges::copy_if(known, std::back_inserter(examples),
                         [&](NodeIndex node) { return placements_.nodes().is_serving(node); });
    if (examples.empty()) {
        examples.assign(known.begin(), known.end());
    }
    Offer offer;
    std::string like;
    if (!examples.empty()) {
        const NodeIndex example = examples[examples.size() / 2];
        offer = placements_.nodes().offer(example);
        like = placements_.nodes().name(example);
    }
    std::uint32_t number = 0;
    for (std::uint32_t added = 0; added < count; ++added) {
        std::string name;
        do {
            name = "added-" + std::to_string(++number);
        } while (names.contains(name));
        const NodeIndex node{index++};
        placements_.add_node(node, name);
        placements_.set_offer(node, offer);
        placements_.set_serving(node, true);
        placements_.set_commandable(node, true);
    }
    return like;
}

void HypotheticalCluster::plan(Instant now, Rebalance mode, bool is_asked) {
    Scope scope;
    scope.now = now;
    scope.rebalance = mode;
    scope.rebalance_now = is_asked;
    scope.moves = std::numeric_limits<std::uint32_t>::max();
    plan(scope);
    const bool some_wait = std::ranges::any_of(workload_.wanted(), [&](TaskIndex task) {
        return workload_[task].place.reschedule_after > Duration::zero();
    });
    // Some tasks wait for their nodes: the answer is the state after the longest wait.
    if (some_wait) {
        scope.now += limits::reschedule_after_max;
        plan(scope);
    }
}

/// True if a move may stop the instance first: then only the stop is ordered at once.
bool begins_with_stop(Cause cause) {
    return cause == Cause::retry || cause == Cause::rollout || is_move(cause);
}

void HypotheticalCluster::plan(const Scope& scope) {
    for (const Order& order : planner_.plan(scope).orders) {
        if (order.action == Order::Action::start || begins_with_stop(order.cause)) {
            causes_.emplace(Instance{order.task, order.ordinal}, order.cause);
        }
    }
}

PlannedSpread spread_of(const Placements& placements, auto load_of) {
    PlannedSpread spread;
    for (const NodeIndex node : placements.nodes().by_name()) {
        if (placements.nodes().is_serving(node)) {
            const std::uint32_t load = load_of(node);
            spread.least = spread.nodes == 0 ? load : std::min(spread.least, load);
            spread.most = std::max(spread.most, load);
            spread.instances += load;
            spread.nodes += 1;
        }
    }
    return spread;
}

/// Instances that are short for this reason are placed later in any case.
bool only_waits(Obstacle code) {
    return code == Obstacle::starts_spent || code == Obstacle::rescheduling ||
           code == Obstacle::frozen || code == Obstacle::lease;
}

/// Compares the present tasks with the hypothetical ones.
class Comparison {
public:
    Comparison(Instant now, const Placements& placements, const Planner& planner,
               const std::set<NodeIndex>& failing, const HypotheticalCluster& supposed,
               PlanReply& reply)
        : now_{now},
          placements_{placements},
          planner_{planner},
          failing_{failing},
          supposed_{supposed},
          reply_{reply} {}

    void add(TaskIndex task) {
        const auto is = planner_.locations(task);
        for (const InstanceLocation& one : is) {
            if (one.at) {
                loads_.add(*one.at);
            }
        }
        if (supposed_.workload()[task].wanted) {
            compare(task, is);
        }
    }
    /// The present instances of the nodes: an instance that will move is still where it runs.
    [[nodiscard]] PlannedSpread present_spread() const {
        return spread_of(placements_, [&](NodeIndex node) { return loads_.of(node); });
    }

private:
    void compare(TaskIndex task, std::span<const InstanceLocation> is) {
        const TaskStatus before = planner_.status(task);
        waits_ = only_waits(before.shortage().code);
        const auto will_be = supposed_.planner().locations(task);
        PlannedGap gap{.task = supposed_.workload().name(task), .down = 0, .wanted = before.wanted};
        for (Ordinal ordinal = 0; ordinal < will_be.size(); ++ordinal) {
            const auto from = ordinal < is.size() ? is[ordinal] : InstanceLocation{};
            gap.down += from.runs && from.at && failing_.contains(*from.at) ? 1U : 0U;
            add_move(task, ordinal, from, will_be[ordinal]);
        }
        if (gap.down > 0) {
            reply_.gaps.push_back(std::move(gap));
        }
        const Shortage after = supposed_.planner().status(task).shortage();
        if (after.count > 0) {
            reply_.shortages.push_back({.task = supposed_.workload().name(task),
                                        .count = after.count,
                                        .before = before.shortage().count,
                                        .code = std::string{to_string(after.code)}});
        }
    }

    void add_move(TaskIndex task, Ordinal ordinal, const InstanceLocation& from,
                  const InstanceLocation& to) {
        if (!to.home || to.home == from.at) {
            return;
        }
        if (to.home == from.home || (!from.at && waits_)) {
            ++reply_.pending;
            if (from.is_to_move) {
                add_rest(from);
            }
            return;
        }
        const bool is_lost = from.at && failing_.contains(*from.at);
        std::string cause = is_lost ? std::string{to_string(Cause::lost)}
                                    : supposed_.cause_of({task, ordinal}, !from.at);
        if (cause == to_string(Cause::balance)) {
            add_rest(from);
        }
        if (reply_.moves.size() == limits::reply_rows) {
            ++reply_.more_moves;
            return;
        }
        reply_.moves.push_back(
            {.id = {supposed_.workload().name(task), ordinal},
             .from = from.at ? std::string{placements_.nodes().name(*from.at)} : std::string{},
             .to = std::string{supposed_.placements().nodes().name(*to.home)},
             .cause = std::move(cause)});
    }

    /// The balance moves an instance only after its rest.
    void add_rest(const InstanceLocation& from) {
        if (from.rests_until && *from.rests_until > now_) {
            ++reply_.resting;
            reply_.rested_in = std::max(reply_.rested_in, *from.rests_until - now_);
        }
    }

    const Instant now_;
    const Placements& placements_;
    const Planner& planner_;
    const std::set<NodeIndex>& failing_;
    const HypotheticalCluster& supposed_;
    PlanReply& reply_;
    Tally<NodeIndex> loads_;
    bool waits_ = false;  // The missing instances of the present task only wait.
};

}  // namespace

Result<PlanReply> what_if(Instant now, const Workload& workload, const Placements& placements,
                          const Planner& planner, Rebalance mode,
                          const std::set<NodeIndex>& failing, const PlanRequest& request) {
    const auto left_out = wanted_tasks_matching(request.without_tasks, workload);
    if (!left_out) {
        return tl::unexpected{left_out.error()};
    }
    if (placements.nodes().by_name().size() + request.add_nodes > limits::nodes) {
        return fail(Errc::too_large, "there would be more than " + std::to_string(limits::nodes) +
                                         " nodes; add fewer");
    }
    HypotheticalCluster supposed{workload, placements, planner};
    for (const NodeIndex node : failing) {
        supposed.fail(node);
    }
    for (const TaskIndex task : *left_out) {
        supposed.leave_out(task);
    }
    PlanReply reply;
    reply.added = request.add_nodes;
    reply.added_like = supposed.add_nodes(request.add_nodes);
    supposed.plan(now, mode, request.rebalance);
    reply.after = spread_of(supposed.placements(),
                            [&](NodeIndex node) { return supposed.planner().load(node); });
    Comparison comparison{now, placements, planner, failing, supposed, reply};
    for (const TaskIndex task : workload.wanted()) {
        comparison.add(task);
    }
    reply.before = comparison.present_spread();
    return reply;
}

}  // namespace muster::coordinator
