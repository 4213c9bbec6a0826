#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace muster::net {

/// Where a socket binds: `tcp://127.0.0.1:7700`, `tcp://[::1]:7700`, `tcp://0.0.0.0:7700`,
/// `tcp://*:7700`, `tcp://localhost:7700` (made 127.0.0.1) or `ipc:///absolute/path`. The port may
/// be `*`.
[[nodiscard]] Result<std::string> endpoint_to_bind(std::string_view text);

/// Where a socket connects. The host may also be a name, which the library looks up as IPv4. The
/// port is required, and an address that means every address is refused.
[[nodiscard]] Result<std::string> endpoint_to_connect(std::string_view text);

/// Where one of several coordinators may be: endpoints_in() of the text, each as above. Returns
/// them in the form of the text.
[[nodiscard]] Result<std::string> endpoints_to_connect(std::string_view text);
/// The endpoints of a text, between commas.
[[nodiscard]] std::vector<std::string> endpoints_in(std::string_view text);

/// Only processes of this host reach the endpoint: it is loopback or ipc.
[[nodiscard]] bool is_on_this_host(std::string_view endpoint);

/// The path of an ipc endpoint; empty for tcp.
[[nodiscard]] std::string_view ipc_path(std::string_view endpoint);

}  // namespace muster::net
