#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "common/base/random.hpp"
#include "common/spec/placement.hpp"
#include "coordinator/core/planning/planner.hpp"
#include "coordinator/core/workload/placements.hpp"
#include "coordinator/core/workload/workload.hpp"

// plan.*: the cost of a pass of the planner, from a first plan to one without changes; the latter
// also with labels, resources and groups in use.
// memory.instance: the memory of an instance that is wanted, held and indexed.
namespace muster::bench {
namespace {

struct Size {
    std::uint32_t nodes = 0;
    std::uint32_t instances = 0;

    [[nodiscard]] std::string text() const {
        return std::to_string(nodes) + "x" + std::to_string(instances);
    }
};

/// `n00042`: names sort like numbers.
std::string padded(char letter, std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return letter + std::string(6 - std::min<std::size_t>(6, digits.size()), '0') + digits;
}

/// Sizes of tasks, 1 to 100, from a fixed seed. Their sum is exactly the number of instances.
std::vector<std::uint32_t> task_sizes(std::uint32_t instances) {
    Random random{2'024};
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t left = instances; left > 0; left -= sizes.back()) {
        sizes.push_back(std::min(left, 1 + static_cast<std::uint32_t>(random.below(100))));
    }
    return sizes;
}

/// The requirements of tasks.
enum class Rules : std::uint8_t {
    none,
    mixed,  ///< A fifth of tasks each: labels, resources, a group, spread, none.
};

PlacementRule rule_of(std::uint32_t task) {
    PlacementRule rule;
    switch (task % 5) {
        case 0: rule.constraints = {*parse_constraint("rack != r3")}; break;
        case 1: rule.request = {.cpu_milli = 10, .memory_bytes = 1'000'000, .slots = 1}; break;
        case 2: rule.group = padded('g', task % 100); break;
        case 3: rule.spread = "rack"; break;
        default: break;
    }
    return rule;
}

Offer offer_of(std::uint32_t node) {
    Offer offer;
    offer.labels = {{"rack", "r" + std::to_string(node % 40)}};
    offer.capacity = {.cpu_milli = 64'000, .memory_bytes = 64'000'000'000, .slots = 1'000};
    return offer;
}

/// The coordinator's view of a fleet: the wanted set, and hosts that obeyed.
class Cluster {
public:
    explicit Cluster(Size size, Rules rules = Rules::none) : running_(size.nodes) {
        for (std::uint32_t node = 0; node < size.nodes; ++node) {
            placements_.add_node(NodeIndex{node}, padded('n', node));
            if (rules == Rules::mixed) {
                placements_.set_offer(NodeIndex{node}, offer_of(node));
            }
            placements_.set_commandable(NodeIndex{node}, true);
            placements_.set_serving(NodeIndex{node}, true);
        }
        coordinator::StoredTask task;
        task.wanted.spec.argv = {"/usr/bin/service", "--port", "8080"};
        for (const std::uint32_t instances : task_sizes(size.instances)) {
            ++tasks_;
            task.wanted.name = padded('t', tasks_);
            task.wanted.instances = instances;
            task.wanted.place = rules == Rules::mixed ? rule_of(tasks_) : PlacementRule{};
            task.generation = task.created = Generation{tasks_};
            workload_.put(task);
        }
    }

    [[nodiscard]] coordinator::Plan plan() { return planner_.plan({}); }

    /// Launches, obeys and reports all orders.
    void carry_out(const coordinator::Plan& plan) {
        for (const coordinator::Order& order : plan.orders) {
            placements_.orders().launched(order, Sequence{1});
            auto& running = running_[raw(order.node)];
            const InstanceId id{workload_.name(order.task), order.ordinal};
            if (order.action == coordinator::Order::Action::start) {
                running.push_back({id, order.generation});
            } else {
                std::erase_if(running, [&](const auto& copy) { return copy.id == id; });
            }
        }
        for (std::uint32_t node = 0; node < running_.size(); ++node) {
            if (placements_.orders().count(NodeIndex{node}) > 0) {
                report(NodeIndex{node});
            }
        }
    }

    /// Plans and obeys until no order is left.
    void converge() {
        for (coordinator::Plan next = plan(); !next.orders.empty(); next = plan()) {
            carry_out(next);
        }
    }

    void lose(NodeIndex node) {
        placements_.set_serving(node, false);
        placements_.set_counted(node, false);
    }
    void bring_back_empty(NodeIndex node) {
        running_[raw(node)].clear();
        report(node);
        placements_.set_counted(node, true);
        placements_.set_serving(node, true);
    }
    /// The hosts' own data is not memory of the coordinator.
    void forget_hosts() { running_ = {}; }

private:
    struct Running {
        InstanceId id;
        Generation generation{};
    };

    void report(NodeIndex node) {
        auto& running = running_[raw(node)];
        std::ranges::sort(running, {}, &Running::id);
        std::vector<InstanceReport> reports(running.size());
        for (std::size_t i = 0; i < running.size(); ++i) {
            reports[i].id = running[i].id;
            reports[i].generation = running[i].generation;
            reports[i].state = InstanceState::running;
            reports[i].started = CivilMs{1'700'000'000'000};
        }
        placements_.replace(node, reports);
        placements_.orders().resolve(node, coordinator::OrdersInFlight::everything);
    }

    coordinator::Workload workload_;
    coordinator::Placements placements_{workload_};
    coordinator::Planner planner_{workload_, placements_};
    std::vector<std::vector<Running>> running_;
    std::uint32_t tasks_ = 0;
};

/// The least work of any planner: for each instance, find the least loaded node without this task,
/// and record it.
class BarePlacement {
public:
    explicit BarePlacement(Size size)
        : levels_(size.instances / size.nodes + 2), has_(size.nodes, 0) {
        for (std::uint32_t node = size.nodes; node > 0; --node) {
            levels_[0].push_back(node - 1);
        }
    }

    void place(std::uint32_t task, std::uint32_t instances) {
        std::vector<std::uint32_t> aside;
        for (std::uint32_t ordinal = 0; ordinal < instances;) {
            while (levels_[level_].empty()) {
                ++level_;
            }
            const std::uint32_t node = levels_[level_].back();
            levels_[level_].pop_back();
            if (has_[node] == task + 1) {
                aside.push_back(node);
                continue;
            }
            has_[node] = task + 1;
            notes_.push_back({task, ordinal++, node});
            levels_[level_ + 1].push_back(node);
        }
        levels_[level_].insert(levels_[level_].end(), aside.begin(), aside.end());
    }

private:
    struct Note {
        std::uint32_t task = 0, ordinal = 0, node = 0;
    };
    std::vector<std::vector<std::uint32_t>> levels_;  // Nodes by load.
    std::vector<std::uint32_t> has_;                  // By node: the last task placed, plus one.
    std::vector<Note> notes_;
    std::size_t level_ = 0;
};

double bare_placement_ms(Size size) {
    const std::vector<std::uint32_t> sizes = task_sizes(size.instances);
    return cpu_ms_of([&] {
        BarePlacement placement{size};
        for (std::uint32_t task = 0; task < sizes.size(); ++task) {
            placement.place(task, sizes[task]);
        }
        keep(placement);
    });
}

Figure plan_cold(Size size, int runs) {
    Figure figure;
    figure.value = median_of(runs, [&] {
        Cluster cluster{size};
        return cpu_ms_of([&] { keep(cluster.plan()); });
    });
    figure.floor = median_of(runs, [&] { return bare_placement_ms(size); });
    return figure;
}

Figure plan_steady(Cluster& cluster) {
    const int passes = sized(1'000, 1);
    Figure figure;
    figure.value = median_of(5, [&] {
        return cpu_ms_of([&] {
                   for (int i = 0; i < passes; ++i) {
                       keep(cluster.plan());
                   }
               }) /
               passes;
    });
    return figure;
}

Figure plan_node_lost(Cluster& cluster) {
    std::uint32_t next = 0;
    Figure figure;
    figure.value = median_of(9, [&] {
        const NodeIndex node{17 + 31 * next++};
        coordinator::Plan plan;
        const double cost = cpu_ms_of([&] {
            cluster.lose(node);
            plan = cluster.plan();
        });
        cluster.carry_out(plan);
        cluster.bring_back_empty(node);
        cluster.converge();
        return cost;
    });
    return figure;
}

Figure plan_node_returns(Cluster& cluster) {
    std::uint32_t next = 0;
    Figure figure;
    figure.value = median_of(9, [&] {
        const NodeIndex node{19 + 31 * next++};
        cluster.lose(node);
        cluster.converge();
        coordinator::Plan plan;
        const double cost = cpu_ms_of([&] {
            cluster.bring_back_empty(node);
            plan = cluster.plan();
        });
        cluster.carry_out(plan);
        cluster.converge();
        return cost;
    });
    return figure;
}

Figure memory_instance(Size size) {
    const std::size_t before = allocated_bytes();
    Cluster cluster{size};
    cluster.converge();
    cluster.forget_hosts();
    Figure figure;
    figure.unit = "bytes";
    figure.value = static_cast<double>(allocated_bytes() - before) / size.instances;
    return figure;
}

void run(Suite& suite, Size size, int cold_runs) {
    suite.run("plan.cold." + size.text(), [&] { return plan_cold(size, cold_runs); });
    std::unique_ptr<Cluster> converged;  // Made for the first benchmark that needs it.
    const auto of_converged = [&](auto&& measure) {
        return [&, measure] {
            if (!converged) {
                converged = std::make_unique<Cluster>(size);
                converged->converge();
            }
            return measure(*converged);
        };
    };
    suite.run("plan.steady." + size.text(), [&] {
        Cluster with_rules{size, Rules::mixed};
        with_rules.converge();
        return plan_steady(with_rules);
    });
    suite.run("plan.node_lost." + size.text(), of_converged(plan_node_lost));
    suite.run("plan.node_returns." + size.text(), of_converged(plan_node_returns));
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Suite suite{argc, argv};
    constexpr Size small{.nodes = 1'000, .instances = 100'000};
    constexpr Size large{.nodes = 10'000, .instances = 1'000'000};
    constexpr Size smallest{.nodes = 200, .instances = 10'000};
    if (is_smoke()) {
        run(suite, smallest, 1);
    } else {
        run(suite, small, 7);
        run(suite, large, 5);
    }
    suite.run("memory.instance", [&] { return memory_instance(sized(large, smallest)); });
    return 0;
}
