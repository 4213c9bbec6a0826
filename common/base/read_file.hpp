#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace muster {

/// The whole of a file, or of standard input for `-`. Errors: `io` with the kernel's reason,
/// `too_large` above `most` bytes. Of what does not begin with `begin` only so much is read as
/// shows that: it may have no end.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t most,
                                            std::string_view begin = {});

}  // namespace muster
