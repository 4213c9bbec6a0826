#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace muster {

/// Of a file of the kernel's, which has bounds of its own.
inline constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

/// The whole of a file, or of standard input for `-`. Errors: `io` with the kernel's reason,
/// `too_large` above `most` bytes. Of what does not begin with `begin` only so much is read as
/// shows that: it may have no end.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t most,
                                            std::string_view begin = {});

/// The names of what a directory holds; none if it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory);

}  // namespace muster
