#pragma once

#include <string>

#include "cli/screen/table.hpp"
#include "common/messages/operator.hpp"

namespace muster::cli {

/// What a change did, or would do: a line for each task that it touches, and a sum.
[[nodiscard]] std::string render_change(const ChangeReply& reply, const Style& style);

/// What became, or would become, of nodes.
[[nodiscard]] std::string render_nodes_change(const NodesChangeReply& reply, const Style& style);

[[nodiscard]] std::string render_limits(const LimitsReply& reply, const Style& style);

/// The nodes whose cluster, epoch or counter is ahead of the store's.
[[nodiscard]] std::string render_accepted(const StoreAcceptReply& reply, const Style& style);

/// True unless nothing would be different.
[[nodiscard]] bool changes_anything(const ChangeReply& reply);

}  // namespace muster::cli
