#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <toml++/toml.h>

#include "agent/settings.hpp"
#include "common/base/result.hpp"

namespace muster::agent {

/// The tables of an agent's configuration: what its host has, and how it is checked.
inline constexpr std::array<std::string_view, 5> host_tables{"labels", "capacity", "reserved",
                                                             "floors", "readiness"};

/// Reads them. The fault is said as `FILE:LINE: what is wrong; what would be right`.
[[nodiscard]] std::optional<Error> read_host(const toml::table& table, std::string_view file,
                                             AgentSettings& into);

}  // namespace muster::agent
