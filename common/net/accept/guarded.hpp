#pragma once

#include <cstdint>

namespace muster::net {

/// From now on a FrameGuard reads along with what comes through this connection, which was just
/// accepted. It ends with the connection: another file of the same number is none of its business.
void guard_connection(int file);

/// How many connections were ended by their guard.
[[nodiscard]] std::uint64_t ended_by_guard();

}  // namespace muster::net
