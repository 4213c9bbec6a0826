#pragma once

#include <string>

#include "common/base/ids.hpp"
#include "common/messages/operator/views.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// `unconfirmed: its node is silent for 4 polls`. Empty if the node answers, or if it is lost,
/// because then its instances are `unknown`.
[[nodiscard]] std::string why_unconfirmed(const Facts& facts, NodeIndex node);

/// Marks an instance on this node as unconfirmed if the node is silent or left.
void note_unconfirmed(const Facts& facts, NodeIndex node, InstanceView& instance);

}  // namespace muster::coordinator
