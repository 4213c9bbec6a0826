#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster {

/// Reads `10s`, `250ms`, `5m` or `5min`, `1h`, `90d`.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);
/// Writes the shortest form that parse_duration reads, in hours at most: versions before read no
/// days.
[[nodiscard]] std::string to_string(Duration duration);

}  // namespace muster
