#pragma once

#include <cstdint>

namespace muster::net {

/// From now on a connection that comes when there is no file left for it, in this process or on its
/// host, is closed at once. Without this the library spins on it at full speed, and where it came
/// by ipc it aborts the process (docs/adr/0006-no-file-left-is-a-closed-connection.md).
void turn_away_when_out_of_files();

/// How many were closed so.
[[nodiscard]] std::uint64_t turned_away();

}  // namespace muster::net
