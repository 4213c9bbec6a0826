#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator/intents.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/membership/fleet.hpp"

/// Checks of changes of intents.
namespace muster::coordinator {

/// True if the name is a node once all pending writes are durable.
[[nodiscard]] bool is_node(const std::string& name, const FleetView& fleet);
/// All names for which is_node() holds, in order.
[[nodiscard]] std::vector<std::string> node_names(const FleetView& fleet);
/// The nodes that a name or a pattern matches; an error if there are none.
[[nodiscard]] Result<std::vector<std::string>> nodes_matching(const std::string& pattern,
                                                              const FleetView& fleet);
/// The named nodes, by name; an error if the list is not valid.
using NamedNodes = std::vector<const ListedNode*>;
[[nodiscard]] Result<NamedNodes> read_list(const std::vector<ListedNode>& nodes);
/// Checks reason and author, which are stored and shown on terminals.
[[nodiscard]] Result<void> check(const Occasion& why);
/// Refused if too many names are known with this growth and all pending writes.
[[nodiscard]] Result<void> check_count(std::ptrdiff_t grows_by, const FleetView& fleet);
/// Refused if the change takes the last nodes for work from a pool.
[[nodiscard]] Result<void> check_pools(const Change& change, const FleetView& fleet);

}  // namespace muster::coordinator
