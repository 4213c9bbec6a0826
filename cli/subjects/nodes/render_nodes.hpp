#pragma once

#include <span>
#include <string>

#include "cli/screen/table.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator.hpp"

/// Nodes in tables, and one with all that is known of it.
namespace muster::cli {

[[nodiscard]] std::string render_node_list(const NodeListReply& reply, CivilMs now,
                                           const Style& style);
[[nodiscard]] std::string render_nodes(std::span<const NodeView> nodes, CivilMs now,
                                       const Style& style);
[[nodiscard]] std::string render_node(const NodeShowReply& reply, CivilMs now, const Style& style);

}  // namespace muster::cli
