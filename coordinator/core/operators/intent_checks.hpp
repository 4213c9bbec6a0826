#pragma once

#include <string>
#include <vector>

#include "coordinator/core/ledger/pending.hpp"
#include "coordinator/core/membership/fleet.hpp"

/// What every change of intents is checked for.
namespace muster::coordinator {

/// It is a node, once all on its way is durable.
[[nodiscard]] bool is_node(const std::string& name, const Fleet& fleet);
/// All of which that is so, in order.
[[nodiscard]] std::vector<std::string> node_names(const Fleet& fleet);
/// Those that a name or a pattern means; an error if there are none.
[[nodiscard]] Result<std::vector<std::string>> nodes_matching(const std::string& pattern,
                                                              const Fleet& fleet);
/// Reason and author are kept, and shown on terminals.
[[nodiscard]] Result<void> check(const Occasion& why);
/// Refused if a pool that has nodes for work would have none after this.
[[nodiscard]] Result<void> check_pools(const IntentsWritten& written, const Fleet& fleet);

}  // namespace muster::coordinator
