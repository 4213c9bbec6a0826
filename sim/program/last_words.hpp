#pragma once

#include <string_view>

namespace muster::sim {

/// From now on, a process that would die of a broken invariant, an exception or a bad access prints
/// this text on stderr instead, and ends with this code. A long text is cut off.
void set_crash_message(std::string_view words, int code);

}  // namespace muster::sim
