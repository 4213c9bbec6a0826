#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/chaos.hpp"
#include "sim/cluster.hpp"

// muster-sim: runs simulated clusters and says which promises were broken.
//
//     muster-sim --seeds 200            random operations and faults, then healing, for each seed
//     muster-sim --seed 17 --trace      one seed again, with its whole story
//     muster-sim --speed --nodes 100    how much faster than real time a quiet cluster runs

namespace {

using namespace muster;
using namespace muster::sim;

struct Arguments {
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1;
    std::uint32_t nodes = 4;
    std::uint32_t seconds = 60;
    bool trace = false;
    bool routine = false;
    bool speed = false;
    bool stores = false;
};

bool run_seed(const Arguments& arguments, std::uint64_t seed) {
    ClusterOptions options = random_faults(seed, arguments.nodes);
    options.keep_routine = arguments.routine;
    Cluster cluster{options};
    Chaos chaos{cluster, seed, arguments.stores ? Disk::exchanged : Disk::kept};
    chaos.run(std::chrono::seconds{arguments.seconds});
    chaos.heal();
    const bool converged = cluster.converges();
    if (arguments.trace) {
        fmt::print("{}", cluster.trace().text());
    }
    for (const std::string& violation : cluster.violations()) {
        fmt::print("{}\n", violation);
    }
    fmt::print("seed {}: {}, trace {:016x}\n", seed,
               converged && cluster.violations().empty() ? "good" : "BROKEN",
               cluster.trace().hash());
    return converged && cluster.violations().empty();
}

int measure_speed(const Arguments& arguments) {
    ClusterOptions options;
    options.seed = arguments.seed;
    options.nodes = arguments.nodes;
    Cluster cluster{options};
    for (std::uint32_t task = 0; task < arguments.nodes * 10; ++task) {
        cluster.want(fmt::format("t{}", task), 1);
    }
    if (!cluster.settle([&] { return cluster.converged(); }, 60s)) {
        fmt::print(stderr, "not converged: {}\n", fmt::join(cluster.differences(), "\n"));
        return 1;
    }
    const auto began = std::chrono::steady_clock::now();
    cluster.run(std::chrono::seconds{arguments.seconds});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    fmt::print("{} nodes, {} tasks: {:.0f} times real time\n", arguments.nodes,
               arguments.nodes * 10, arguments.seconds / took.count());
    return cluster.violations().empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App app{"Runs simulated muster clusters and says which promises were broken."};
    app.add_option("--seed", arguments.seed, "The first seed")->capture_default_str();
    app.add_option("--seeds", arguments.seeds, "How many seeds")->capture_default_str();
    app.add_option("--nodes", arguments.nodes, "Nodes of each cluster")->capture_default_str();
    app.add_option("--seconds", arguments.seconds,
                   "Simulated time of faults, or of the measurement")
        ->capture_default_str();
    app.add_flag("--trace", arguments.trace, "Print the whole trace");
    app.add_flag("--routine", arguments.routine, "Polls and unchanged answers are traced too");
    app.add_flag("--stores", arguments.stores,
                 "The coordinator's store is exchanged for old, empty and foreign ones, too");
    app.add_flag("--speed", arguments.speed, "Measure the speed of a quiet cluster instead");
    CLI11_PARSE(app, argc, argv);
    if (arguments.speed) {
        return measure_speed(arguments);
    }
    std::setvbuf(stdout, nullptr, _IOLBF,
                 0);  // What was said is not lost when an ensure() ends us.
    std::uint64_t broken = 0;
    for (std::uint64_t seed = arguments.seed; seed < arguments.seed + arguments.seeds; ++seed) {
        broken += std::uint64_t{!run_seed(arguments, seed)};
    }
    fmt::print("{} of {} seeds broken\n", broken, arguments.seeds);
    return broken == 0 ? 0 : 1;
}
