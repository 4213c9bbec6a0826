#pragma once

#include "agent/options.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// Runs an agent (with completed settings) until SIGTERM or SIGINT. It then announces its
/// departure, and its tasks keep running for the next life. An error says why it could not begin.
[[nodiscard]] Result<void> run_agent(const AgentSettings& settings);

/// Ends all tasks of an agent, and the agent itself if it runs. Waits until they have ended. An
/// error says why that is not possible.
[[nodiscard]] Result<void> stop_all(const AgentSettings& settings);

}  // namespace muster::agent
