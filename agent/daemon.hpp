#pragma once

#include "agent/settings.hpp"
#include "common/result.hpp"

namespace muster {

/// Runs an agent (its settings are completed) until SIGTERM or SIGINT; then it stops its tasks and
/// says goodbye. A second signal ends them by force. The error says why it could not begin.
[[nodiscard]] Result<void> run_agent(const AgentSettings& settings);

}  // namespace muster
