#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "common/ids.hpp"
#include "common/result.hpp"
#include "coordinator/core/placements.hpp"

namespace muster {

/// The nodes that `node=PATTERN` or `LABEL=PATTERN` means, by name. `invalid`: it is none of these
/// forms, or no node has such a label, with those that are near; `not_found`: it means no node.
[[nodiscard]] Result<std::vector<NodeIndex>> select_nodes(const Placements& placements,
                                                          std::string_view selector);

/// `invalid`, with those that are near: there are nodes, and none has a label of this key.
[[nodiscard]] std::optional<Error> unknown_label(const Placements& placements,
                                                 std::string_view key);

}  // namespace muster
