#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace muster::cli {

/// The completion script for `bash` or `zsh`, made from the verb table. Names of nodes and tasks
/// are asked of the coordinator as they are needed, briefly.
[[nodiscard]] Result<std::string> completion_script(std::string_view shell);

}  // namespace muster::cli
