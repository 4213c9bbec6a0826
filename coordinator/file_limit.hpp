#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.hpp"

namespace muster::coordinator {

/// Files that a fleet of so many agents needs: one for each connection, room for a storm in which
/// old ones are not gone yet, and our own.
[[nodiscard]] constexpr std::uint64_t files_needed(std::uint64_t agents) {
    return agents + agents / 5 + 200;
}

/// Raises the process's limit of open files as far as it may, and refuses if that does not suffice:
/// at the limit nobody new is let in. With `agents` 0 the fleet is what fits.
[[nodiscard]] Result<void> raise_file_limit(std::uint64_t agents);

struct FileUse {
    std::uint64_t open = 0;
    std::uint64_t limit = 0;
};
/// Of this process.
[[nodiscard]] FileUse file_use();

/// What an operator is told when few files are left, or when connections were turned away for want
/// of one. Nothing: all is well.
[[nodiscard]] std::optional<std::string> file_alarm(const FileUse& use, std::uint64_t turned_away);

}  // namespace muster::coordinator
