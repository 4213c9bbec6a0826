#pragma once

#include <string>

#include "common/base/ids.hpp"
#include "common/messages/operator/views.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// `unconfirmed: its node is silent for 4 polls`. Empty: the node answers, or it is lost, and then
/// nothing is said to run there.
[[nodiscard]] std::string why_unconfirmed(const Facts& facts, NodeIndex node);

/// Adds to an instance on this node what its node's silence makes of it.
void note_unconfirmed(const Facts& facts, NodeIndex node, InstanceView& instance);

}  // namespace muster::coordinator
