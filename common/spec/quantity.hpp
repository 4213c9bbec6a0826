#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

/// Amounts of memory, disk and processors in the form for people.
namespace muster {

/// `64MiB`, `1.5GiB`, `20MB` or a number of bytes, in bytes.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);
/// `64MiB`, `1.5GiB`; one decimal place, rounded down, unless it is a multiple of the unit.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// `2`, `1.5` or `0.25` cores, in thousandths of a core.
[[nodiscard]] Result<std::uint64_t> parse_cores(std::string_view text);
/// `1.5 cores`, `1 core`.
[[nodiscard]] std::string cores_text(std::uint64_t milli);

}  // namespace muster
