#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb_table.hpp"

namespace muster::cli {

/// The verbs whose words are these or begin with them; all for none.
[[nodiscard]] std::vector<const VerbEntry*> verbs_under(std::string_view words);

/// Every verb in a line, and the options of all.
[[nodiscard]] std::string help_text();
/// The verbs of a group, as those of `task`, in a line each.
[[nodiscard]] std::string help_text(std::string_view group,
                                    std::span<const VerbEntry* const> verbs);
/// One verb: usage, options, an example.
[[nodiscard]] std::string help_text(const VerbEntry& entry);

/// The same for programs, in the form of a coordinator's answer to `help`.
[[nodiscard]] std::string help_document(std::span<const VerbEntry* const> verbs);

}  // namespace muster::cli
