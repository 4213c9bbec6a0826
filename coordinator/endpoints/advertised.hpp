#pragma once

#include <string>
#include <string_view>

namespace muster::coordinator {

/// A bound endpoint as other hosts can reach it: at `hosts`, which has the host of each
/// coordinator, between commas. Without hosts, an address that means every address becomes the
/// first address of this host that is not loopback.
[[nodiscard]] std::string advertised(std::string_view bound, std::string_view hosts);

}  // namespace muster::coordinator
