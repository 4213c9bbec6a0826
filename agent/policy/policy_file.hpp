#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/policy/policy.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// Where an agent that runs as root looks for a policy, unless its configuration names another.
inline constexpr const char* default_policy_file = "/etc/muster/policy.toml";

/// Reads a policy; examples/policy.toml has every key. Returns the faults as
/// `FILE:LINE: what is wrong; what would be right`.
[[nodiscard]] Result<Policy> policy_from_toml(std::string_view text, std::string_view file);

/// The policy of this host. `file` is empty: the default file counts if it exists and this process
/// runs as root. Nothing: everything is allowed. Refuses a file that another user could change.
[[nodiscard]] Result<std::optional<Policy>> read_policy(const std::string& file);

}  // namespace muster::agent
