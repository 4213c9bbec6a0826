#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.hpp"

/// Patterns that choose nodes and tasks:
///
///     *              any run of characters, `web-*`
///     ?              any one character
///     [1-40,52]      one whole number of the list; written with leading zeros (`[01-40]`) it
///                    matches numbers of that many digits only
///
/// All other characters match themselves. A pattern without any of these is a name.
namespace muster::pattern {

/// `invalid` with what would be right: too long, not a pattern, or a malformed range.
[[nodiscard]] Result<void> check(std::string_view pattern);

/// False for a pattern that check() refuses. Time is at most the product of both lengths.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

/// The same for a pattern that check() has accepted, to match many names; `steps` grows by the time
/// it takes.
[[nodiscard]] bool matches_sound(std::string_view pattern, std::string_view name,
                                 std::uint64_t& steps);

/// True if it can match only one name, which is its text.
[[nodiscard]] bool is_name(std::string_view pattern);
/// The common prefix of all names that it matches.
[[nodiscard]] std::string_view beginning(std::string_view pattern);

}  // namespace muster::pattern
