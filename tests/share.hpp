#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/random.hpp"

namespace muster {

/// What checks every access, or counts every branch, runs ten times as long, and so is given a
/// tenth of the work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(MUSTER_COVERAGE)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// The number of seeds, of `all`, that this build tries.
constexpr std::uint64_t share_of(std::uint64_t all) { return is_sanitized ? all / 10 : all; }

/// How far it is to the next of those that this build tries, where all could be tried in a row.
inline std::size_t stride(Random& random) { return is_sanitized ? 1 + random.below(19) : 1; }

}  // namespace muster
