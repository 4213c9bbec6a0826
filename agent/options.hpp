#pragma once

#include <string>
#include <string_view>

#include "agent/settings.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// Reads a configuration file; examples/agent.toml has every key with its default. The first fault
/// is returned as `FILE:LINE: what is wrong; what would be right`.
[[nodiscard]] Result<AgentSettings> agent_settings_from_toml(std::string_view text,
                                                             std::string_view file);

/// A name of a node made from the name of a host: lower case, other characters as `-`. Empty if
/// nothing of it can be kept.
[[nodiscard]] std::string node_name_of_host(std::string_view host);

/// Names the agent if it has no name yet, and looks what the host has; refuses a name against the
/// rule, a coordinator that is not on this host, and more reserved than there is.
[[nodiscard]] Result<AgentSettings> completed(AgentSettings settings);

}  // namespace muster::agent
