#pragma once

#include <cstdint>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::sim {

/// How many times faster than real time a cluster runs that is as wanted, ten tasks of one instance
/// a node, with all checkers on. Of the time of its core, not of what else the machine does. An
/// error: a promise was broken, or it never became so.
[[nodiscard]] Result<double> speed_of(std::uint32_t nodes, Duration simulated, std::uint64_t seed);

}  // namespace muster::sim
