#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator/intents.hpp"
#include "common/spec/spec.hpp"

namespace muster {

/// Reads a task file: an array of tables `[[task]]`. All or nothing: the first fault is returned as
/// `FILE:LINE: what is wrong; what would be right`, with the nearest valid key for an unknown one.
/// `file` is only for that text. Duplicate names are a fault.
[[nodiscard]] Result<std::vector<WantedTask>> tasks_from_toml(std::string_view text,
                                                              std::string_view file);

/// Reads a list of nodes: an array of tables `[[node]]` with `name` and `pool`. All or nothing,
/// like a task file: the first fault is `FILE:LINE: what is wrong; what would be right`.
[[nodiscard]] Result<std::vector<ListedNode>> nodes_from_toml(std::string_view text,
                                                              std::string_view file);

}  // namespace muster
