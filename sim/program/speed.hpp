#pragma once

#include <cstdint>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::sim {

/// How many times faster than real time a converged cluster runs, with ten tasks of one instance
/// per node and all checkers on. Measured in processor time. An error: a promise was broken,
/// or the cluster did not converge.
[[nodiscard]] Result<double> speed_of(std::uint32_t nodes, Duration simulated, std::uint64_t seed);

}  // namespace muster::sim
