#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "agent/exec/launch/command.hpp"

namespace muster::agent {

/// The user and groups of a process.
struct Identity {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> other_groups;
    std::string home;  ///< Of the user. Empty: not known.
};

/// Looks up a user and a group by name or number. Nothing: both are empty, and the process runs as
/// the agent. Fails if a name does not exist, or if this agent cannot change its user.
[[nodiscard]] tl::expected<std::optional<Identity>, LaunchFailure> identity_of(
    const std::string& user, const std::string& group);

}  // namespace muster::agent
