#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/exec/launch/command.hpp"
#include "common/spec/placement.hpp"
#include "common/text/template.hpp"

namespace muster::agent {

/// What a process gets of its host.
struct ProcessPlace {
    std::string home;                  ///< Of the agent's state (process_mark.hpp).
    std::string node;                  ///< Its name,
    Offer offer;                       ///< and what else tasks may want to know of it.
    std::string home_directory;        ///< For HOME, where the user has none of its own.
    std::string work;                  ///< Its own directory, where the spec names none.
    std::string secrets;               ///< Directory of its copies.
    Duration post_stop{};              ///< What a post_stop may take.
    std::vector<std::string> cgroups;  ///< Directories of its own.
};

using Environment = std::map<std::string, std::string>;

/// What the texts of a spec may name.
[[nodiscard]] TemplateValues template_values(const Spawn& spawn, const ProcessPlace& place);

/// Exactly the variables a process has: PATH, LANG, HOME, what its env_files say, what its env
/// says, and MUSTER_*; each over those before.
[[nodiscard]] tl::expected<Environment, LaunchFailure> environment_of(const Spawn& spawn,
                                                                      const ProcessPlace& place,
                                                                      const TemplateValues& values);

/// A text with its variables replaced.
[[nodiscard]] tl::expected<std::string, LaunchFailure> filled_in(std::string_view field,
                                                                 const std::string& text,
                                                                 const TemplateValues& values);

}  // namespace muster::agent
