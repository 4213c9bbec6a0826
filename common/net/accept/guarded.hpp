#pragma once

#include <cstdint>

namespace muster::net {

/// From now on a FrameGuard reads along with what comes through this connection, which was just
/// accepted. Until its number is given to another socket.
void guard_connection(int file);

/// How many connections were ended by their guard.
[[nodiscard]] std::uint64_t ended_by_guard();

}  // namespace muster::net
