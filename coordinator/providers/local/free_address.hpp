#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace muster::local_provider {

/// An address of this host, 127.0.0.1:PORT, at which nobody listens now and that is none of
/// `taken`. The ports are below those that the kernel gives to connections, so that no connection
/// takes one before a task of the node does. Empty: all are taken. `name` chooses where to begin.
[[nodiscard]] std::string free_address(std::string_view name, const std::set<std::string>& taken);

}  // namespace muster::local_provider
