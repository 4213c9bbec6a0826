#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The nodes that any of the selectors `node=PATTERN` and `LABEL=PATTERN` matches. `invalid`: a
/// selector has neither form, or no node has such a label; the error suggests similar labels.
/// `not_found`: a selector matches no node. `too_large`: the search would take too long.
[[nodiscard]] Result<std::set<NodeIndex>> select_nodes(const Placements& placements,
                                                       std::span<const std::string> selectors);

/// `invalid`, with similar labels: there are nodes, and none has a label with this key.
[[nodiscard]] std::optional<Error> unknown_label(const Placements& placements,
                                                 std::string_view key);

/// `invalid`, with similar pools: there are nodes, and none is in this pool.
[[nodiscard]] std::optional<Error> unknown_pool(const Placements& placements,
                                                std::string_view pool);

}  // namespace muster::coordinator
