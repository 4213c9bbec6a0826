// How much faster than real time the simulator runs a converged cluster, on one core, with all
// checkers on.

#include <cstdint>

#include "bench/bench.hpp"
#include "common/base/ensure.hpp"
#include "sim/program/speed.hpp"

namespace {

using namespace std::chrono_literals;
using muster::bench::Figure;

constexpr int runs = 5;
constexpr std::uint64_t seed = 17;

Figure speed(std::uint32_t nodes, muster::Duration simulated, const char* goal) {
    const auto measure = [&] {
        const auto times = muster::sim::speed_of(nodes, muster::bench::sized(simulated, 10s), seed);
        muster::ensure(times.has_value(), "a cluster at rest keeps all promises");
        return *times;
    };
    return {.value = muster::bench::median_of(runs, measure),
            .unit = "times real time",
            .floor = std::nullopt,
            .goal = goal};
}

}  // namespace

int main(int argc, char** argv) {
    muster::bench::Suite suite{argc, argv};
    suite.run("sim.speed.10", [] { return speed(10, 1h, ">= 10000"); });
    suite.run("sim.speed.100", [] { return speed(100, 10min, ">= 1000"); });
}
