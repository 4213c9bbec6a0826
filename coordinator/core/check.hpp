#pragma once

#include <string>
#include <vector>

#include "coordinator/core/memory.hpp"

namespace muster::coordinator {

/// What the rooms hold in two places and do not agree on, a sentence each; nothing in a core
/// without bugs. Asked after every step by the simulator and in debug builds.
[[nodiscard]] std::vector<std::string> contradictions(const Memory& memory);

}  // namespace muster::coordinator
