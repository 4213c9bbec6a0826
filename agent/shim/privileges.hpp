#pragma once

namespace muster::shim {

/// Takes every capability out of reach of this process for good. Only before a change of user: an
/// agent without privileges may not, and needs not.
void close_capabilities();

/// The process has no capabilities from now on, not as root either, and no program that it
/// executes gains any privilege, such as by its setuid bit. False: errno says why.
[[nodiscard]] bool give_up_privileges();

}  // namespace muster::shim
