// One round of polls: the coordinator polls every node once and applies every answer, `same`. The
// floor is the cost of the same messages for a bare libzmq ROUTER; the rounds of both alternate.
// Also the memory of a node with its connection.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/poll/recording.hpp"
#include "bench/poll/round_sides.hpp"

namespace {

using muster::bench::Figure;
using muster::bench::Side;
using muster::bench::sized;

constexpr int runs = 5;
constexpr int warm_rounds = 3;
constexpr std::uint32_t smallest_nodes = 10;

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

Figure poll_round(std::uint32_t full_nodes, int full_rounds, bool keys = false) {
    const std::uint32_t nodes = sized(full_nodes, smallest_nodes);
    const int rounds = sized(full_rounds, 1);
    Side coordinator{muster::bench::run_coordinator_side, nodes, keys};
    Side bare{muster::bench::run_bare_side, nodes, keys};
    for (int i = 0; i < warm_rounds; ++i) {
        static_cast<void>(coordinator.round());
        static_cast<void>(bare.round());
    }
    std::vector<Figure> figures;
    for (int run = 0; run < sized(runs, 1); ++run) {
        std::vector<double> ours;
        std::vector<double> floor;
        for (int i = 0; i < rounds; ++i) {
            ours.push_back(coordinator.round().cpu_ms);
            floor.push_back(bare.round().cpu_ms);
        }
        figures.push_back({.value = mean(ours), .floor = mean(floor)});
    }
    // The pair of runs with the median ratio: figures that were measured together stay together.
    std::sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) {
        return a.value / *a.floor < b.value / *b.floor;
    });
    return figures[figures.size() / 2];
}

/// CPU until a fleet has connected by CURVE and every agent has registered. The floor only receives
/// the same hellos, by CURVE and without asking who may connect.
Figure connect_by_key(std::uint32_t full_nodes) {
    const std::uint32_t nodes = sized(full_nodes, smallest_nodes);
    std::vector<Figure> figures;
    for (int run = 0; run < sized(3, 1); ++run) {
        const Side coordinator{muster::bench::run_coordinator_side, nodes, true};
        const Side bare{muster::bench::run_bare_side, nodes, true};
        figures.push_back({.value = coordinator.join().cpu_ms, .floor = bare.join().cpu_ms});
    }
    std::sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) {
        return a.value / *a.floor < b.value / *b.floor;
    });
    return figures[figures.size() / 2];
}

/// The part of its loop's time that a coordinator needs to record.
Figure recorder_overhead(std::uint32_t full_nodes, int full_rounds) {
    const std::uint32_t nodes = sized(full_nodes, smallest_nodes);
    const int rounds = sized(full_rounds, 1);
    Side coordinator{muster::bench::run_coordinator_side, nodes};
    double round = coordinator.round().cpu_ms;
    for (int i = 1; i < warm_rounds + rounds; ++i) {
        round = std::min(round, coordinator.round().cpu_ms);
    }
    const double more = muster::bench::recording_ms(nodes, rounds);
    return {.value = 100 * more / round,
            .unit = "percent",
            .floor = std::nullopt,
            .goal = "<= 3",
            .more = {{"round_ms", round}, {"more_ms", more}}};
}

Figure memory_of_a_node(std::uint32_t full_nodes) {
    const std::uint32_t nodes = sized(full_nodes, smallest_nodes);
    const auto measure = [nodes](Side::Run run) {
        Side side{run, nodes};
        Side::Cost cost;
        for (int i = 0; i < warm_rounds; ++i) {
            cost = side.round();
        }
        return cost.memory_bytes / nodes;
    };
    return {.value = measure(muster::bench::run_coordinator_side),
            .unit = "bytes",
            .floor = measure(muster::bench::run_bare_side)};
}

}  // namespace

int main(int argc, char** argv) {
    muster::bench::Suite suite{argc, argv};
    suite.run("poll.round.100", [] { return poll_round(100, 100); });
    suite.run("poll.round.1000", [] { return poll_round(1'000, 100); });
    suite.run("poll.round.10000", [] { return poll_round(10'000, 20); });
    suite.run("poll.round.curve.1000", [] { return poll_round(1'000, 100, true); });
    suite.run("poll.round.curve.10000", [] { return poll_round(10'000, 20, true); });
    suite.run("connect.curve.10000", [] { return connect_by_key(10'000); });
    suite.run("recorder.overhead", [] { return recorder_overhead(10'000, 50); });
    suite.run("memory.node", [] { return memory_of_a_node(10'000); });
}
