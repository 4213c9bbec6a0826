#pragma once

#include <cstdint>

namespace muster::net {

/// From now on a connection that comes when there is no file left for it, in this process or on its
/// host, is closed at once. Without this the library spins on it at full speed, and where it came
/// by ipc it aborts the process (docs/internals/adr/0006-no-file-left-is-a-closed-connection.md).
void turn_away_when_out_of_files();

/// How many were closed so.
[[nodiscard]] std::uint64_t turned_away();

/// From now on a FrameGuard reads along with what comes through this connection, which was just
/// accepted. It ends with the connection: another file of the same number is none of its business.
void guard_connection(int file);

/// How many connections were ended by their guard.
[[nodiscard]] std::uint64_t ended_by_guard();

}  // namespace muster::net
