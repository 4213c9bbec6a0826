#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <toml++/toml.h>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/coordinator.hpp"

namespace muster::coordinator {

/// One configuration key of the coordinator's core, and how its value is read. An error says what
/// would be right, without file and line.
struct CoreKey {
    std::string_view name;
    Result<void> (*read)(const toml::node& value, CoordinatorOptions& into);
};

/// The keys of the table `cluster` or `nodes`; none for any other table.
[[nodiscard]] std::span<const CoreKey> core_keys(std::string_view section);

/// Called once all keys of a file are read: sets options that follow from others, unless the file
/// has them. An error names the keys that contradict each other; `where` is the first of them in
/// the file.
[[nodiscard]] Result<void> complete(CoordinatorOptions& options, const toml::table& file,
                                    toml::source_region& where);

[[nodiscard]] Result<void> read_duration(const toml::node& value, Duration least, Duration most,
                                         Duration& into);
[[nodiscard]] Result<void> read_truth(const toml::node& value, bool& into);
[[nodiscard]] Result<void> read_number(const toml::node& value, std::uint32_t least,
                                       std::uint32_t most, std::uint32_t& into);

}  // namespace muster::coordinator
