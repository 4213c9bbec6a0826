#pragma once

namespace muster::shim {

/// Empties the bounding set, so that no program that this process executes has a capability. Does
/// nothing without the privilege, so it comes before a change of user.
void close_capabilities();

/// The process has no capabilities from now on, not as root either, and no program that it
/// executes gains any privilege, such as by its setuid bit. False: errno says why.
[[nodiscard]] bool give_up_privileges();

}  // namespace muster::shim
