#pragma once

#include <optional>
#include <string_view>

#include "common/base/time.hpp"

namespace muster::net {

/// Tells systemd how we are, as sd_notify(3) does: `READY=1`, `STOPPING=1`, `WATCHDOG=1`,
/// `STATUS=...`. Says nothing when not started by systemd; a failure has no consequence for us.
void notify_systemd(std::string_view state);

/// How often `WATCHDOG=1` must be said; nothing if nobody watches.
[[nodiscard]] std::optional<Duration> watchdog_interval();

}  // namespace muster::net
