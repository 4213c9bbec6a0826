#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace muster::net {

/// Where a socket binds or connects: `tcp://127.0.0.1:7700`, `tcp://[::1]:7700`,
/// `tcp://localhost:7700` (made 127.0.0.1) or `ipc:///absolute/path`. To bind, the port may be `*`.
///
/// Only endpoints on this host are allowed: keys do not exist yet, and anybody who can write to
/// these sockets can run commands.
[[nodiscard]] Result<std::string> local_endpoint(std::string_view text);

/// The same for connecting: the port is required.
[[nodiscard]] Result<std::string> local_peer(std::string_view text);

/// The path of an ipc endpoint; empty for tcp.
[[nodiscard]] std::string_view ipc_path(std::string_view endpoint);

}  // namespace muster::net
