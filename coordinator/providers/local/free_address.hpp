#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace muster::local_provider {

/// A loopback address of this host, 127.A.B.C:PORT, at which nobody listens now and that is none of
/// `taken`. Nodes of the same name in other clusters on this host get others, because a task
/// listens there only later. The ports are below those that the kernel gives to connections. Empty:
/// all are taken.
[[nodiscard]] std::string free_address(std::string_view cluster, std::string_view node,
                                       const std::set<std::string>& taken);

}  // namespace muster::local_provider
