#pragma once

#include <cstddef>
#include <string>

#include "common/result.hpp"

namespace muster {

/// The whole of a file, or of standard input for `-`. Errors: `io` with the kernel's reason,
/// `too_large` above `most` bytes.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t most);

}  // namespace muster
