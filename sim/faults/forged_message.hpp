#pragma once

#include "common/base/random.hpp"
#include "common/messages/message.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::sim {

class AgentHost;

/// A valid message that this host's agent has no reason to send: false names and lives, numbers up
/// to the maximum, instances that run elsewhere or nowhere.
[[nodiscard]] AgentMessage forged_message(Random& random, const AgentHost& host,
                                          const coordinator::StoreImage& store);

}  // namespace muster::sim
