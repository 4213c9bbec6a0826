#pragma once

#include <map>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/exec/launch/command.hpp"
#include "common/spec/placement.hpp"
#include "common/text/template.hpp"

namespace muster::agent {

/// What the host gives to a process.
struct ProcessPlace {
    std::string home;            ///< Identifies the agent's state directory (process_mark.hpp).
    std::string node;            ///< The name of the node.
    Offer offer;                 ///< Other facts about the node that tasks may need.
    std::string home_directory;  ///< For HOME, if its user has none.
    std::string work;            ///< Its own directory, if the spec names none.
    std::string secrets;         ///< The directory of its copies of secrets.
    Duration post_stop{};        ///< How long a post_stop may take.
    std::vector<std::string> cgroups;  ///< Directories of its own cgroups.
    std::optional<rlimit> files;       ///< Its limit of open files, if the spec sets none.
};

using Environment = std::map<std::string, std::string>;

/// The variables that texts of a spec may contain.
[[nodiscard]] TemplateValues template_values(const Spawn& spawn, const ProcessPlace& place);

/// Exactly the variables of a process: PATH, LANG, HOME, then its env_files, its env and MUSTER_*.
/// Later ones replace earlier ones. `read` gets the paths of the files that were read, without
/// links, so that a policy judges what was read and not where a link leads later.
[[nodiscard]] tl::expected<Environment, LaunchFailure> environment_of(
    const Spawn& spawn, const ProcessPlace& place, const TemplateValues& values,
    std::vector<std::string>& read);

/// A text with its variables replaced.
[[nodiscard]] tl::expected<std::string, LaunchFailure> filled_in(std::string_view field,
                                                                 const std::string& text,
                                                                 const TemplateValues& values);

}  // namespace muster::agent
