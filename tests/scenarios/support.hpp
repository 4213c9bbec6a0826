#pragma once

#include <cstdint>
#include <string>

#include "tests/catch.hpp"

#include "sim/model/cluster.hpp"
#include "tests/share.hpp"

namespace muster::sim {

/// The usual number of seeds for tests with random faults.
constexpr std::uint64_t seeds = share_of(200);

/// Fails with each broken promise, its seed and the end of its trace.
inline void require_no_violations(const Cluster& cluster) {
    for (const std::string& violation : cluster.violations()) {
        UNSCOPED_INFO(violation);
    }
    REQUIRE(cluster.violations().empty());
}

/// Lets time pass until the cluster has converged; fails with the differences if it has not by
/// then.
inline void require_convergence(Cluster& cluster, Duration limit) {
    const bool converged = cluster.run_until([&] { return cluster.converged(); }, limit);
    if (!converged) {
        for (const std::string& difference : cluster.differences()) {
            UNSCOPED_INFO(difference);
        }
        UNSCOPED_INFO(cluster.trace().last(40));
    }
    REQUIRE(converged);
}

}  // namespace muster::sim
