#pragma once

#include <string>
#include <vector>

#include "coordinator/core/memory.hpp"

namespace muster::coordinator {

/// Facts that are kept in two places and differ, one sentence each. A core without bugs has none.
/// The simulator and debug builds check this after every step.
[[nodiscard]] std::vector<std::string> contradictions(const Memory& memory);

}  // namespace muster::coordinator
