#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace muster {

/// For files of the kernel, which have bounds of their own.
inline constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

/// The whole of a file, or of standard input for `-`. Errors: `io` with the kernel's reason,
/// `too_large` above `most` bytes. A file that does not begin with `begin` is read only as far as
/// shows that, because it may be endless.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t most,
                                            std::string_view begin = {});

/// The names in a directory; none if it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory);

}  // namespace muster
