#include "sim/program/speed.hpp"

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/model/cluster.hpp"

namespace muster::sim {

Result<double> speed_of(std::uint32_t nodes, Duration simulated, std::uint64_t seed) {
    Cluster cluster{{.seed = seed, .nodes = nodes}};
    for (std::uint32_t task = 0; task < 10 * nodes; ++task) {
        cluster.want(fmt::format("t{}", task), 1);
    }
    cluster.run(30s);  // Checking all tasks and hosts after each start takes minutes.
    if (!cluster.run_until([&] { return cluster.converged(); }, 60s)) {
        return fail(Errc::timeout,
                    fmt::format("it did not converge: {}", fmt::join(cluster.differences(), "\n")));
    }
    const std::clock_t began = std::clock();
    cluster.run(simulated);
    const double took = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    if (!cluster.violations().empty()) {
        return fail(Errc::refused, cluster.violations().front());
    }
    return std::chrono::duration<double>{simulated}.count() / took;
}

}  // namespace muster::sim
