#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator/intents.hpp"

namespace muster {

/// Reads a list of nodes: an array of tables `[[node]]` with `name` and `pool`. All or nothing, as
/// a task file: the first fault is `FILE:LINE: what is wrong; what would be right`.
[[nodiscard]] Result<std::vector<ListedNode>> nodes_from_toml(std::string_view text,
                                                              std::string_view file);

}  // namespace muster
