#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator/intents.hpp"
#include "coordinator/core/ledger/change.hpp"
#include "coordinator/core/membership/fleet.hpp"

/// What every change of intents is checked for.
namespace muster::coordinator {

/// It is a node, once all on its way is durable.
[[nodiscard]] bool is_node(const std::string& name, const FleetView& fleet);
/// All of which that is so, in order.
[[nodiscard]] std::vector<std::string> node_names(const FleetView& fleet);
/// Those that a name or a pattern means; an error if there are none.
[[nodiscard]] Result<std::vector<std::string>> nodes_matching(const std::string& pattern,
                                                              const FleetView& fleet);
/// Those named, by name; an error if they are no list.
using NamedNodes = std::vector<const ListedNode*>;
[[nodiscard]] Result<NamedNodes> read_list(const std::vector<ListedNode>& nodes);
/// Reason and author are kept, and shown on terminals.
[[nodiscard]] Result<void> check(const Occasion& why);
/// Refused if too many names are known once so many more are, and all on its way is durable.
[[nodiscard]] Result<void> check_count(std::ptrdiff_t grows_by, const FleetView& fleet);
/// Refused if a pool that has nodes for work would have none after this.
[[nodiscard]] Result<void> check_pools(const Change& change, const FleetView& fleet);

}  // namespace muster::coordinator
