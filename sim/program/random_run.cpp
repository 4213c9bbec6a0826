#include "sim/program/random_run.hpp"

#include <fmt/format.h>

#include "sim/faults/chaos.hpp"

namespace muster::sim {

namespace {

constexpr std::uint64_t fewest_nodes = 2;
constexpr std::uint64_t most_nodes = 6;
// Seeds that tests and records name are below this, and have one coordinator. Of the others every
// fourth has several.
constexpr std::uint64_t first_with_several = 3'000'000'000;
// Of those from here on, three of eight have pools, and one of these several coordinators.
constexpr std::uint64_t first_with_pools = 5'000'000'000;

}  // namespace

RandomRun drawn_run(std::uint64_t seed) {
    Random random{seed ^ 0x72756eULL};
    RandomRun run;
    run.seed = seed;
    run.nodes =
        static_cast<std::uint32_t>(fewest_nodes + random.below(most_nodes - fewest_nodes + 1));
    run.faults = FaultSet::drawn(seed);
    if (seed >= first_with_several && seed % 4 == 1) {
        run.coordinators = 2 + static_cast<std::uint32_t>(seed / 4 % 2);
    }
    if (seed >= first_with_pools && (seed % 4 == 2 || seed % 8 == 5)) {
        run.pools = 1 + static_cast<std::uint32_t>(seed / 8 % 2);
    }
    return run;
}

std::string command_of(const RandomRun& run) {
    const RandomRun drawn = drawn_run(run.seed);
    std::string command = fmt::format("muster-sim replay {}", run.seed);
    if (run.nodes != drawn.nodes) {
        command += fmt::format(" --nodes {}", run.nodes);
    }
    if (run.coordinators != drawn.coordinators) {
        command += fmt::format(" --coordinators {}", run.coordinators);
    }
    if (run.pools != drawn.pools) {
        command += fmt::format(" --pools {}", run.pools);
    }
    if (run.faults_last != drawn.faults_last) {
        command += fmt::format(" --seconds {}", to_ms(run.faults_last) / 1000);
    }
    if (run.faults != drawn.faults) {
        command += " --faults " + run.faults.text();
    }
    if (run.rows_of_step) {
        command += fmt::format(" --rows-of-step {}", *run.rows_of_step);
    }
    return command;
}

std::string RunResult::broken() const {
    return violations.empty() ? "" : violations.front().substr(0, violations.front().find(':'));
}

RunResult carry_out(const RandomRun& run) {
    ClusterOptions options = random_options(run.seed, run.nodes, run.faults);
    options.coordinators = run.coordinators;
    options.keep_routine = run.keep_routine;
    options.hash_outputs = run.hash_outputs;
    options.restore_every = run.restore_every;
    options.coordinator.rows_of_step = run.rows_of_step.value_or(options.coordinator.rows_of_step);
    options.record = run.record;
    options.record_bytes = run.record_bytes;
    if (run.pools > 0) {
        prepare_pools(options, run.pools);
    }
    Cluster cluster{options};
    Chaos chaos{cluster, run.seed, run.faults, run.pools};
    chaos.run(run.faults_last);
    chaos.heal();
    if (run.pools > 0) {  // First, because instances move with the nodes.
        static_cast<void>(cluster.pools_settle());
    }
    static_cast<void>(cluster.converges());  // If it does not, that is a violation.
    return {.violations = cluster.violations(),
            .hash = cluster.trace().hash(),
            .outputs_hash = cluster.world().outputs.value(),
            .simulated = cluster.now() - origin,
            .trace = cluster.trace().text(),
            .not_recorded = cluster.world().not_recorded};
}

}  // namespace muster::sim
