#pragma once

#include <string>

#include "cli/verb_table.hpp"

namespace muster::cli {

/// Every verb in a line, and the options of all.
[[nodiscard]] std::string help_text();
/// One verb: usage, options, an example.
[[nodiscard]] std::string help_text(const VerbEntry& entry);

}  // namespace muster::cli
