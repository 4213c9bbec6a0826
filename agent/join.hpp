#pragma once

#include <string_view>

#include "agent/options.hpp"
#include "common/base/result.hpp"
#include "common/crypto/join_token.hpp"

namespace muster::agent {

/// Asks the coordinator of the token to admit this host, and keeps where the cluster is. With a
/// token that needs an admin it waits until one accepts the host, and says so. The key of the host
/// is made here. A host that is admitted already is told so, and nothing changes.
[[nodiscard]] Result<void> join(const AgentSettings& settings, const JoinToken& token);

}  // namespace muster::agent
