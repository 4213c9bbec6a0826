#pragma once

#include <map>
#include <string>

#include "agent/exec/launch/order.hpp"
#include "common/text/template.hpp"

namespace muster::agent {

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
