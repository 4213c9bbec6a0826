#pragma once

#include <string>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// As a list of nodes shows it.
[[nodiscard]] NodeView view_of(const Facts& facts, NodeIndex index);
[[nodiscard]] Result<ReplyBody> show_node(const Facts& facts, const std::string& name);
/// What the nodes reported in the last round that closed, or since.
[[nodiscard]] Result<ReplyBody> reported(const Facts& facts, const std::string& pattern);
/// The drain of a node, with what is still there and what keeps it.
[[nodiscard]] DrainView drain_of(const Facts& facts, NodeIndex index);
/// `not empty by its deadline: web.3 max_surge`.
[[nodiscard]] std::string why_overdue(const Facts& facts, NodeIndex index);

}  // namespace muster::coordinator
