#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/random.hpp"
#include "tests/share.hpp"
#include "tests/unit/coordinator/core/planning/planner_fleet.hpp"

namespace muster::coordinator::test {
namespace {

/// Minimum-cost flow by Bellman-Ford: slow, and unrelated to the planner's algorithm.
class Flow {
public:
    std::size_t add_node() {
        edges_of_.emplace_back();
        return edges_of_.size() - 1;
    }
    void add_edge(std::size_t from, std::size_t to, std::int64_t capacity, std::int64_t cost) {
        edges_of_[from].push_back(edges_.size());
        edges_.push_back({to, capacity, cost});
        edges_of_[to].push_back(edges_.size());
        edges_.push_back({from, 0, -cost});
    }
    /// The least cost of the maximum flow.
    std::int64_t least_cost(std::size_t source, std::size_t sink) {
        std::int64_t cost = 0;
        for (find_paths(source); distance_[sink] < far; find_paths(source)) {
            cost += distance_[sink];
            for (std::size_t node = sink; node != source;) {
                edges_[by_[node]].capacity -= 1;
                Edge& back = edges_[by_[node] ^ 1U];
                back.capacity += 1;
                node = back.to;
            }
        }
        return cost;
    }

private:
    static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 2;

    struct Edge {
        std::size_t to = 0;
        std::int64_t capacity = 0;
        std::int64_t cost = 0;
    };

    void find_paths(std::size_t source) {
        distance_.assign(edges_of_.size(), far);
        by_.assign(edges_of_.size(), edges_.size());
        distance_[source] = 0;
        bool changed = true;
        while (changed) {
            changed = false;
            for (std::size_t node = 0; node < edges_of_.size(); ++node) {
                changed = relax(node) || changed;
            }
        }
    }
    bool relax(std::size_t node) {
        bool changed = false;
        for (const std::size_t at : edges_of_[node]) {
            const Edge& edge = edges_[at];
            if (distance_[node] < far && edge.capacity > 0 &&
                distance_[node] + edge.cost < distance_[edge.to]) {
                distance_[edge.to] = distance_[node] + edge.cost;
                by_[edge.to] = at;
                changed = true;
            }
        }
        return changed;
    }

    std::vector<std::int64_t> distance_;
    std::vector<std::size_t> by_;
    std::vector<Edge> edges_;
    std::vector<std::vector<std::size_t>> edges_of_;
};

/// The copy of each instance that stays: its start, and its serving host.
using Stays = std::map<InstanceId, std::pair<CivilMs, std::string>>;
Stays staying(Fleet& fleet) {
    Stays stays;
    for (const auto& [name, host] : fleet.hosts()) {
        for (const auto& [id, instance] : host.runs) {
            const auto wanted = fleet.stored().find(id.task);
            // If a task was removed and added again, its old copies do not stay.
            if (host.is_lost || wanted == fleet.stored().end() ||
                id.ordinal >= wanted->second.wanted.instances ||
                instance.generation != wanted->second.generation) {
                continue;
            }
            const auto [found, is_new] = stays.try_emplace(id, instance.started, name);
            if (!is_new && instance.started < found->second.first) {
                found->second = {instance.started, name};
            }
        }
    }
    return stays;
}

/// Instances whose copy is on another host afterwards.
std::int64_t count_moved(const Stays& before, const Stays& after) {
    return std::ranges::count_if(before, [&](const auto& stay) {
        const auto found = after.find(stay.first);
        return found == after.end() || found->second.second != stay.second.second;
    });
}

/// The generation of each copy, by host and instance, on hosts that receive orders.
using Copies = std::map<std::pair<std::string, InstanceId>, Generation>;
Copies copies_in(Fleet& fleet) {
    Copies copies;
    for (const auto& [name, host] : fleet.hosts()) {
        for (const auto& [id, instance] : host.runs) {
            if (!host.is_lost) {
                copies[{name, id}] = instance.generation;
            }
        }
    }
    return copies;
}

/// The starts and stops from one state to the other, if none is useless. A copy that does not stay
/// is stopped, unless it is replaced in place; a new copy is started.
std::pair<std::int64_t, std::int64_t> orders_between(const Copies& before, const Stays& stays,
                                                     const Copies& after) {
    const auto has_stayed = [&](const auto& copy) {
        const auto& [name, id] = copy.first;
        const auto was = before.find(copy.first);
        const auto is = after.find(copy.first);
        const auto stay = stays.find(id);
        return was != before.end() && is != after.end() && was->second == is->second &&
               stay != stays.end() && stay->second.second == name;
    };
    const auto is_replaced = [&](const auto& copy) {
        const auto is = after.find(copy.first);
        return is != after.end() && is->second != copy.second;
    };
    const auto starts =
        std::ranges::count_if(after, [&](const auto& copy) { return !has_stayed(copy); });
    const auto stops = std::ranges::count_if(
        before, [&](const auto& copy) { return !has_stayed(copy) && !is_replaced(copy); });
    return {starts, stops};
}

std::pair<std::int64_t, std::int64_t> orders_in(const std::vector<std::string>& trace) {
    const std::int64_t starts = std::ranges::count_if(
        trace, [](const std::string& line) { return line.starts_with("start "); });
    return {starts, std::ssize(trace) - starts};
}

/// The fewest running copies that must move so that every serving host gets floor or ceil.
std::int64_t fewest_moves(Fleet& fleet) {
    constexpr std::int64_t must = 1'000'000;
    std::map<std::string, std::map<std::string, std::int64_t>> counts;
    for (const auto& [id, stay] : staying(fleet)) {
        counts[id.task][stay.second] += 1;
    }
    std::set<std::string> serving;
    for (const auto& [name, host] : fleet.hosts()) {
        if (!host.is_lost) {
            serving.insert(name);
        }
    }
    if (serving.empty()) {
        return 0;
    }
    const auto hosts = static_cast<std::int64_t>(serving.size());
    std::int64_t total = 0;
    std::int64_t missing = 0;
    Flow flow;
    const std::size_t source = flow.add_node();
    const std::size_t sink = flow.add_node();
    std::map<std::string, std::size_t> host_nodes;
    for (const std::string& name : serving) {
        host_nodes[name] = flow.add_node();
    }
    for (const auto& [name, task] : fleet.stored()) {
        const std::int64_t per_node = task.wanted.spec.max_per_node;
        const std::int64_t placed = std::min<std::int64_t>(task.wanted.instances, hosts * per_node);
        const std::size_t node = flow.add_node();
        flow.add_edge(source, node, placed, 0);
        total += placed;
        missing += placed;
        for (const auto& [host, host_node] : host_nodes) {
            std::int64_t here = 0;
            if (counts.contains(name) && counts.at(name).contains(host)) {
                here = counts.at(name).at(host);
            }
            missing -= here;
            flow.add_edge(node, host_node, here, 0);
            flow.add_edge(node, host_node, per_node - here, 1);
        }
    }
    for (const auto& [host, host_node] : host_nodes) {
        flow.add_edge(host_node, sink, total / hosts, -must);
        flow.add_edge(host_node, sink, total % hosts > 0 ? 1 : 0, 0);
    }
    const std::int64_t floors = hosts * (total / hosts);
    return flow.least_cost(source, sink) + floors * must - missing;
}

std::uint32_t draw(Random& random, std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

/// Makes a random change of the fleet or of the wanted tasks.
void disturb(Fleet& fleet, Random& random) {
    std::vector<std::string> lost;
    std::vector<std::string> serving;
    for (const auto& [name, host] : fleet.hosts()) {
        (host.is_lost ? lost : serving).push_back(name);
    }
    const std::string task = "t" + std::to_string(random.below(8));
    switch (random.below(7)) {
        case 0:
            if (fleet.hosts().size() < 7) {
                fleet.add("m" + std::to_string(random.below(1'000'000)));
            }
            break;
        case 1:
            if (!serving.empty()) {
                fleet.lose(serving[random.below(serving.size())]);
            }
            break;
        case 2:
            if (!lost.empty()) {
                fleet.return_host(lost[random.below(lost.size())], random.chance(1, 2));
            }
            break;
        case 3:
            if (fleet.hosts().size() > 2) {
                const auto at = static_cast<std::ptrdiff_t>(random.below(fleet.hosts().size()));
                fleet.remove(std::next(fleet.hosts().begin(), at)->first);
            }
            break;
        case 4:
            if (fleet.stored().contains(task)) {
                fleet.unwant(task);
            }
            break;
        default: {
            TaskSpec spec = fleet.spec();
            spec.max_per_node = fleet.stored().contains(task)
                                    ? fleet.stored().at(task).wanted.spec.max_per_node
                                    : draw(random, 1, 2);
            fleet.want(task, draw(random, 0, 7), spec);
        }
    }
}

}  // namespace

// Goal: the balance is exact, reached in one plan, with the fewest moves, and then steady; no order
// is useless. Method: random histories; the fewest moves come from a minimum-cost flow. Execute the
// plan, plan again, and compare the orders with the differences.
TEST_CASE("after any change one plan gives every node floor or ceil by the fewest moves",
          "[planner][SP-1][SP-2][SP-3][SP-4][SP-5][GO-D1][GO-D4][GO-D5][GO-D6]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, share_of(2'000) + 1));
    CAPTURE(seed);
    Random random{seed};
    Fleet fleet;
    fleet.add_hosts(draw(random, 1, 6));
    const std::uint32_t tasks = draw(random, 1, 7);
    for (std::uint32_t i = 0; i < tasks; ++i) {
        fleet.want("t" + std::to_string(i), draw(random, 0, 6));
    }
    for (int change = 0; change < 12; ++change) {
        CAPTURE(change);
        const std::int64_t fewest = fewest_moves(fleet);
        const Stays is_preferred = staying(fleet);
        const Copies copies_before = copies_in(fleet);
        fleet.trace.clear();
        const Plan plan = fleet.planner.plan({});
        CHECK(fleet.is_planned_evenly());
        CHECK(fleet.totals().moves == static_cast<std::uint64_t>(fewest));
        fleet.carry_out(plan);
        fleet.report_all();
        const bool is_carried_out =
            fewest == 0 && std::ranges::none_of(plan.orders, [](const Order& order) {
                return order.action == Order::Action::stop;
            });
        if (is_carried_out) {
            CHECK(fleet.planner.plan({}).orders.empty());
        }
        REQUIRE(fleet.converge());
        CHECK(fleet.round() == 0);
        CHECK(count_moved(is_preferred, staying(fleet)) == fewest);
        CHECK(orders_in(fleet.trace) ==
              orders_between(copies_before, is_preferred, copies_in(fleet)));
        CHECK(fleet.is_planned_evenly());
        CHECK(fleet.totals().moves == 0);
        for (const auto& [name, task] : fleet.stored()) {
            const auto hosts = static_cast<std::uint32_t>(std::ranges::count_if(
                fleet.hosts(), [](const auto& entry) { return !entry.second.is_lost; }));
            const std::uint32_t room = hosts * task.wanted.spec.max_per_node;
            const TaskStatus status = fleet.planner.status(*fleet.workload.find(name));
            CHECK(status.running == std::min(room, task.wanted.instances));
            CHECK(status.shortage().count == task.wanted.instances - status.running);
        }
        CAPTURE(fleet.violations);
        CHECK(fleet.violations.empty());
        disturb(fleet, random);
    }
}

// Goal: the plan is a function of names, not of their order.
// Method: two fleets built in opposite orders have the same random history.
TEST_CASE("the order in which nodes and tasks are given never affects a plan", "[planner][SP-6]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, share_of(100) + 1));
    CAPTURE(seed);
    Random random{seed};
    const std::uint32_t hosts = draw(random, 1, 8);
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t i = draw(random, 1, 8); i > 0; --i) {
        sizes.push_back(draw(random, 0, hosts + 1));
    }
    Fleet forwards;
    Fleet backwards;
    for (std::uint32_t i = 0; i < hosts; ++i) {
        forwards.add("n" + std::to_string(i));
        backwards.add("n" + std::to_string(hosts - 1 - i));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t other = sizes.size() - 1 - i;
        forwards.want("t" + std::to_string(i), sizes[i]);
        backwards.want("t" + std::to_string(other), sizes[other]);
    }
    for (int pass = 0; pass < 20; ++pass) {
        const Plan plan = forwards.planner.plan({});
        const Plan other = backwards.planner.plan({});
        REQUIRE(forwards.text(plan) == backwards.text(other));
        forwards.carry_out(plan);
        backwards.carry_out(other);
        forwards.report_all();
        backwards.report_all();
        Random same = random;
        disturb(forwards, random);
        disturb(backwards, same);
    }
}

// Goal: many moves of one task are decided at once and executed one after the other.
// Method: three instances of one task share a node; nine other nodes have none of it.
TEST_CASE("moves of one task wait for each other and never exceed max_surge",
          "[planner][GO-D6][SP-4]") {
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 6;
    fleet.want("web", 6, spec);
    REQUIRE(fleet.converge());
    fleet.add("n1");
    fleet.add("n2");
    fleet.trace.clear();
    CHECK(fleet.round() == 1);
    CHECK(fleet.totals().moves == 4);
    CHECK(fleet.is_planned_evenly());
    REQUIRE(fleet.converge());
    CHECK(fleet.trace.size() == 8);
    for (const auto& [name, host] : fleet.hosts()) {
        CHECK(host.runs.size() == 2);
    }
    CHECK(fleet.violations.empty());
}

// Goal: an instance that cannot have a second copy is not moved.
// Method: an uneven fleet with max_surge 0.
TEST_CASE("without max_surge nothing is moved for the balance", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 4;
    spec.update.max_surge = 0;
    fleet.want("web", 4, spec);
    REQUIRE(fleet.converge());
    fleet.add("n1");
    CHECK(fleet.round() == 0);
    CHECK(fleet.load("n0") == 4);
}

// Goal: a job that runs to its end is not restarted elsewhere for the balance, but counts as load.
// Method: jobs of either policy crowd one of two nodes; then a service among them is moved.
TEST_CASE("a job that runs to its end is never moved for the balance", "[planner]") {
    const auto policy = GENERATE(RestartPolicy::never, RestartPolicy::on_failure);
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec spec = fleet.spec();
    spec.max_per_node = 4;
    spec.restart.policy = policy;
    fleet.want("job", 4, spec);
    REQUIRE(fleet.converge());
    fleet.add("n1");
    CHECK(fleet.round() == 0);
    CHECK(fleet.load("n0") == 4);

    fleet.want("web", 1);
    fleet.put("n0", "web", 0);
    fleet.trace.clear();
    REQUIRE(fleet.converge());
    CHECK(fleet.trace.size() == 2);
    CHECK(fleet.load("n0") == 4);
    CHECK(fleet.load("n1") == 1);
    CHECK(fleet.host("n1").runs.contains({"web", 0}));
    CHECK(fleet.violations.empty());
}

// Goal: an impossible balance costs one search, whatever else changes; a change that may allow it
// costs another. Method: the crowding instances cannot be moved; another task is added, changed and
// removed on a third node.
TEST_CASE("an impossible balance is not sought until something changes", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(1);
    TaskSpec stays = fleet.spec();
    stays.max_per_node = 4;
    stays.update.max_surge = 0;
    fleet.want("stays", 4, stays);
    REQUIRE(fleet.converge());
    fleet.add("n1");
    fleet.want("web", 1);
    REQUIRE(fleet.converge());
    const Effort at_rest = fleet.planner.effort();
    for (const auto state :
         {InstanceState::backoff, InstanceState::starting, InstanceState::backoff}) {
        fleet.put("n1", "web", 0, fleet.generation("web"), state);
        fleet.round();
    }
    CHECK(fleet.planner.effort() == at_rest);

    stays.update.max_surge = 1;
    fleet.want("stays", 4, stays);
    REQUIRE(fleet.converge());
    CHECK(fleet.planner.effort().balances > at_rest.balances);
    CHECK(fleet.is_planned_evenly());
    CHECK(fleet.violations.empty());
}

// Goal: an impossible balance is not sought repeatedly, and one that becomes possible is.
// Method: an instance that does not run cannot be moved; then it runs.
TEST_CASE("an instance is moved for the balance once it runs", "[planner]") {
    Fleet fleet;
    fleet.add_hosts(2);
    fleet.want("a", 1);
    fleet.want("b", 1);
    fleet.put("n0", "a", 0, fleet.generation("a"), InstanceState::starting);
    fleet.put("n0", "b", 0, fleet.generation("b"), InstanceState::starting);
    CHECK(fleet.round() == 0);
    CHECK(fleet.round() == 0);
    fleet.finish_starts();
    REQUIRE(fleet.converge());
    CHECK(fleet.load("n0") == 1);
    CHECK(fleet.load("n1") == 1);
    CHECK(fleet.violations.empty());
}

// Goal: equal nodes get equal shares, and no instance is missing.
// Method: a thousand tasks of one instance, on five nodes.
TEST_CASE("a thousand tasks on five nodes are exactly two hundred on each",
          "[planner][SP-1][SC-25]") {
    Fleet fleet;
    fleet.add_hosts(5);
    for (int i = 0; i < 1'000; ++i) {
        fleet.want("t" + std::to_string(i), 1);
    }
    REQUIRE(fleet.converge());
    for (const auto& [name, host] : fleet.hosts()) {
        CHECK(host.runs.size() == 200);
    }
    CHECK(fleet.totals().running == 1'000);
    CHECK(fleet.violations.empty());
}

}  // namespace muster::coordinator::test
