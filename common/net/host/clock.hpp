#pragma once

#include "common/base/time.hpp"

namespace muster::net {

/// The time line of every deadline: CLOCK_BOOTTIME, which continues while the host is suspended.
/// Only shells read it, and pass it to their core.
[[nodiscard]] Instant boottime_now();

/// Civil time, for people and request ids. It may jump.
[[nodiscard]] CivilMs civil_now();

}  // namespace muster::net
