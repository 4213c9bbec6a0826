#pragma once

#include <span>
#include <vector>

#include "agent/core/agent.hpp"
#include "common/messages/errands.hpp"

namespace muster::agent {

/// What each of these processes uses, with all that it began: the tree below its shim. One that is
/// gone is left out. Of processor time that of the ended is in it; it comes in the kernel's ticks.
///
/// Looks at every process of the host, once.
[[nodiscard]] std::vector<InstanceUse> usage_of(std::span<const MeasureProcesses::Root> roots);

}  // namespace muster::agent
