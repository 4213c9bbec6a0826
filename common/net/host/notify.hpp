#pragma once

#include <optional>
#include <string_view>

#include "common/base/time.hpp"

namespace muster::net {

/// Notifies systemd, as sd_notify(3) does: `READY=1`, `STOPPING=1`, `WATCHDOG=1`, `STATUS=...`.
/// Does nothing when not started by systemd; a failure is ignored.
void notify_systemd(std::string_view state);

/// The interval for `WATCHDOG=1`; nothing if there is no watchdog.
[[nodiscard]] std::optional<Duration> watchdog_interval();

}  // namespace muster::net
