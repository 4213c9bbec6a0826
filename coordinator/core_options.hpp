#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <toml++/toml.h>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/coordinator.hpp"

namespace muster::coordinator {

/// One key of a configuration that the coordinator's core looks at: how its value is read. An error
/// says what would be right, without file and line.
struct CoreKey {
    std::string_view name;
    Result<void> (*read)(const toml::node& value, CoordinatorOptions& into);
};

/// Those of the table `cluster` or `nodes`; none of any other.
[[nodiscard]] std::span<const CoreKey> core_keys(std::string_view section);

/// Once all keys of a file are read: sets what follows from others unless the file has it. An error
/// says which of them contradict each other; the first that the file has is at `where`.
[[nodiscard]] Result<void> complete(CoordinatorOptions& options, const toml::table& file,
                                    toml::source_region& where);

// How such values are read.
[[nodiscard]] Result<void> read_duration(const toml::node& value, Duration least, Duration most,
                                         Duration& into);
[[nodiscard]] Result<void> read_number(const toml::node& value, std::uint32_t least,
                                       std::uint32_t most, std::uint32_t& into);

}  // namespace muster::coordinator
