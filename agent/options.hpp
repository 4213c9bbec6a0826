#pragma once

#include <string>
#include <string_view>

#include "agent/core/agent.hpp"
#include "common/base/result.hpp"
#include "common/log/log.hpp"
#include "common/spec/placement.hpp"

namespace muster::agent {

/// All that an operator may choose of an agent. The defaults run without any configuration.
struct AgentSettings {
    std::string name;  ///< Empty: the host's name, made valid.
    std::string coordinator = "tcp://127.0.0.1:7700";
    std::string state_dir;    ///< Empty: the default of common/base/paths.hpp.
    std::string run_dir;      ///< Likewise.
    std::string secrets_dir;  ///< Likewise.
    log::Level log_level = log::Level::info;
    std::string version;
    Offer offer;                 ///< What is not said of its capacity is what the host has.
    CapacityFrom capacity_from;  ///< Whence that is known, once the settings are completed.
    HostFloors floors;
    CheckOptions check;  ///< Whether the host is ready for work.
};

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
