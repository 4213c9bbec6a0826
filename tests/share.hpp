#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/random.hpp"

namespace muster {

/// A build that checks every access or counts every branch is at least ten times as slow, and tries
/// the seeds of a fast build once more: so it gets a small share of the work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(MUSTER_COVERAGE)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// The number of seeds, out of `all`, that this build tries.
constexpr std::uint64_t share_of(std::uint64_t all) { return is_sanitized ? all / 25 : all; }

/// The distance between two seeds that this build tries, where a fast build tries all seeds in a
/// row.
inline std::size_t stride(Random& random) { return is_sanitized ? 1 + random.below(19) : 1; }

}  // namespace muster
