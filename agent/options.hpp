#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/core/agent.hpp"
#include "common/base/result.hpp"
#include "common/log/log.hpp"
#include "common/net/security/security.hpp"
#include "common/spec/placement.hpp"

namespace muster::agent {

/// Everything an operator may configure. The defaults work without any configuration.
struct AgentSettings {
    std::string name;  ///< Empty: the host's name, made valid.
    /// Its endpoint for agents; of several coordinators, with commas between them.
    std::string coordinator = "tcp://127.0.0.1:7700";
    std::string state_dir;    ///< Empty: the default of common/base/paths.hpp.
    std::string run_dir;      ///< Empty: the default, too.
    std::string secrets_dir;  ///< Empty: the default, too.
    std::string policy;       ///< File. Empty: the default of policy_file.hpp.
    log::Level log_level = log::Level::info;
    std::optional<net::ClientKeys> keys{};  ///< Of the cluster that this host joined.
    std::optional<KeyPair> made_key{};      ///< That is to replace the own one.
    std::string version;
    Offer offer;                 ///< Capacity that is not configured is measured.
    CapacityFrom capacity_from;  ///< The source of each value, once the settings are completed.
    HostFloors floors;
    CheckOptions check;  ///< Whether the host is ready for work.
};

/// Reads a configuration file; examples/agent.toml has every key with its default. Returns the
/// first fault as `FILE:LINE: what is wrong; what would be right`.
[[nodiscard]] Result<AgentSettings> agent_settings_from_toml(std::string_view text,
                                                             std::string_view file);

/// Makes a node name from a host name: lower case, other characters as `-`. Empty if no character
/// is usable.
[[nodiscard]] std::string node_name_of_host(std::string_view host);

/// Names the agent if it has no name yet, and measures the host. Refuses an invalid name, a
/// coordinator on another host, and a reservation above the capacity.
[[nodiscard]] Result<AgentSettings> completed(AgentSettings settings);

/// With the keys and the coordinator of the cluster that this host joined, if it joined one. A
/// coordinator that an operator configured stays.
[[nodiscard]] Result<AgentSettings> with_keys(AgentSettings settings);

}  // namespace muster::agent
