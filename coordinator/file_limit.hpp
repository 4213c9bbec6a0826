#pragma once

#include <cstdint>

#include "common/result.hpp"

namespace muster {

/// Files that a fleet of so many agents needs: one for each connection, room for a storm in which
/// old ones are not gone yet, and our own.
[[nodiscard]] constexpr std::uint64_t files_needed(std::uint64_t agents) {
    return agents + agents / 5 + 200;
}

/// Raises the process's limit of open files as far as it may, and refuses if that does not suffice:
/// at the limit the library accepts nobody any more, spins, and says nothing. With `agents` 0 the
/// fleet is what fits.
[[nodiscard]] Result<void> raise_file_limit(std::uint64_t agents);

}  // namespace muster
