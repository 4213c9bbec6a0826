#pragma once

#include <span>
#include <vector>

#include "agent/core/agent.hpp"
#include "common/messages/agent_calls.hpp"

namespace muster::agent {

/// What each of these processes uses, with its whole tree below its shim. A process that is gone is
/// left out. Processor time includes ended children, and its unit is the kernel's tick.
///
/// Reads every process of the host once.
[[nodiscard]] std::vector<InstanceUse> usage_of(std::span<const MeasureProcesses::Root> roots);

}  // namespace muster::agent
