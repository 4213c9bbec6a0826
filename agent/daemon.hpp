#pragma once

#include "agent/options.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// Runs an agent (its settings are completed) until SIGTERM or SIGINT; then it says goodbye, and
/// its tasks run on for its next life. The error says why it could not begin.
[[nodiscard]] Result<void> run_agent(const AgentSettings& settings);

/// Ends all tasks of an agent, and the agent itself if it runs. Waits until all are gone; the error
/// says why that cannot be.
[[nodiscard]] Result<void> stop_all(const AgentSettings& settings);

}  // namespace muster::agent
