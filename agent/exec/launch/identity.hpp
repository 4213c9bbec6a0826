#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "agent/exec/launch/command.hpp"

namespace muster::agent {

/// Whom a process runs as.
struct Identity {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> other_groups;
    std::string home;  ///< Of the user; empty: not known.
};

/// Looks up a user and a group by name or number; nothing: both are empty, and it runs as the
/// agent. Fails when there is none of that name, or when this agent may not become another.
[[nodiscard]] tl::expected<std::optional<Identity>, LaunchFailure> identity_of(
    const std::string& user, const std::string& group);

}  // namespace muster::agent
