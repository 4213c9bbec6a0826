#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.hpp"

namespace muster::coordinator {

/// The files that a fleet of so many agents needs: one for each connection, room for a reconnect
/// storm in which the kernel still holds old connections, and our own.
[[nodiscard]] constexpr std::uint64_t files_needed(std::uint64_t agents) {
    return agents + agents / 5 + 200;
}

/// Raises the process's limit of open files as far as it may, and fails if that does not suffice:
/// at the limit no new connection is accepted. With `agents` 0 the fleet is as large as the limit
/// allows.
[[nodiscard]] Result<void> raise_file_limit(std::uint64_t agents);

struct FileUse {
    std::uint64_t open = 0;
    std::uint64_t limit = 0;
};
/// Open files of this process.
[[nodiscard]] FileUse file_use();

/// The alarm for operators when few files are left, or when connections were refused because no
/// file was left. Nothing: no alarm.
[[nodiscard]] std::optional<std::string> file_alarm(const FileUse& use, std::uint64_t turned_away);

}  // namespace muster::coordinator
