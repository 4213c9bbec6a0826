#pragma once

#include <string>
#include <string_view>

namespace muster::coordinator {

/// A bound endpoint as other hosts can reach it. An address that means every address becomes
/// `host`, or without one the first address of this host that is not loopback.
[[nodiscard]] std::string advertised(std::string_view bound, const std::string& host);

}  // namespace muster::coordinator
