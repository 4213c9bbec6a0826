#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb_table.hpp"
#include "common/base/result.hpp"

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

/// The completion script for `bash` or `zsh`, made from the verb table. Names of nodes and tasks
/// are asked of the coordinator as they are needed, briefly.
[[nodiscard]] Result<std::string> completion_script(std::string_view shell);

}  // namespace muster::cli
