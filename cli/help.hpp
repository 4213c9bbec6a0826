#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb_table.hpp"
#include "common/base/result.hpp"

namespace muster::cli {

/// The verbs whose words are these or begin with them; all verbs without words.
[[nodiscard]] std::vector<const VerbEntry*> verbs_under(std::string_view words);

/// One line for each verb, and the options of all verbs.
[[nodiscard]] std::string help_text();
/// One line for each verb of a group, such as `task`.
[[nodiscard]] std::string help_text(std::string_view group,
                                    std::span<const VerbEntry* const> verbs);
/// One verb: usage, options, an example.
[[nodiscard]] std::string help_text(const VerbEntry& entry);

/// The same for programs, in the form of a coordinator's answer to `help`.
[[nodiscard]] std::string help_document(std::span<const VerbEntry* const> verbs);

/// The completion script for `bash` or `zsh`, made from the verb table. It asks the coordinator for
/// names of nodes and tasks when they are needed, with a short timeout.
[[nodiscard]] Result<std::string> completion_script(std::string_view shell);

}  // namespace muster::cli
