#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// The nodes that all of `node=PATTERN` or `LABEL=PATTERN` mean. `invalid`: one is none of these
/// forms, or no node has such a label, with those that are near; `not_found`: one means no node;
/// `too_large`: it would take too long to find out.
[[nodiscard]] Result<std::set<NodeIndex>> select_nodes(const Placements& placements,
                                                       std::span<const std::string> selectors);

/// `invalid`, with those that are near: there are nodes, and none has a label of this key.
[[nodiscard]] std::optional<Error> unknown_label(const Placements& placements,
                                                 std::string_view key);

/// `invalid`, with those that are near: there are nodes, and none is in this pool.
[[nodiscard]] std::optional<Error> unknown_pool(const Placements& placements,
                                                std::string_view pool);

}  // namespace muster::coordinator
