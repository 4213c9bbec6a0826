#pragma once

#include <functional>
#include <string>

#include "sim/program/random_run.hpp"

namespace muster::sim {

/// A smaller run of the same verdict: without the faults it does not need, shorter, with fewer
/// nodes; each step is tried until none helps any more (greedy, as delta debugging at its finest
/// grain: Zeller, Hildebrandt 2002). `judge` carries a run out and names the promise that it
/// breaks; `told` hears of each smaller run that was found.
[[nodiscard]] RandomRun shrink(const RandomRun& broken,
                               const std::function<std::string(const RandomRun&)>& judge,
                               const std::function<void(const RandomRun&)>& told);

}  // namespace muster::sim
