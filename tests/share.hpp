#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/random.hpp"

namespace muster {

/// A build that checks every access or counts every branch is at least ten times as slow: it gets a
/// part of the work. With sanitizers that is less, as scripts/test tries all seeds in a fast build.
#if defined(MUSTER_COVERAGE)
inline constexpr std::uint64_t shares = 10;
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t shares = 25;
#else
inline constexpr std::uint64_t shares = 1;
#endif
inline constexpr bool is_sanitized = shares > 1;

/// The number of seeds, out of `all`, that this build tries.
constexpr std::uint64_t share_of(std::uint64_t all) { return all / shares; }

/// The distance between two seeds that this build tries, where a fast build tries all seeds in a
/// row.
inline std::size_t stride(Random& random) { return is_sanitized ? 1 + random.below(19) : 1; }

}  // namespace muster
