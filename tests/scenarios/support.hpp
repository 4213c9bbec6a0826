#pragma once

#include <cstdint>
#include <string>

#include "tests/catch.hpp"

#include "sim/model/cluster.hpp"

namespace muster::sim {

/// What checks every access, or counts every branch, runs ten times as long, and so is given a
/// tenth of the work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(MUSTER_COVERAGE)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// The number of seeds, of `all`, that this build tries.
constexpr std::uint64_t share_of(std::uint64_t all) { return is_sanitized ? all / 10 : all; }

/// For whatever is tried with chance.
constexpr std::uint64_t seeds = share_of(200);

/// Fails with each broken promise, its seed and the end of its trace.
inline void require_no_violations(const Cluster& cluster) {
    for (const std::string& violation : cluster.violations()) {
        UNSCOPED_INFO(violation);
    }
    REQUIRE(cluster.violations().empty());
}

/// Lets time pass until wanted is actual; says what differs if it is not by then.
inline void require_convergence(Cluster& cluster, Duration limit) {
    const bool converged = cluster.settle([&] { return cluster.converged(); }, limit);
    if (!converged) {
        for (const std::string& difference : cluster.differences()) {
            UNSCOPED_INFO(difference);
        }
        UNSCOPED_INFO(cluster.trace().last(40));
    }
    REQUIRE(converged);
}

}  // namespace muster::sim
