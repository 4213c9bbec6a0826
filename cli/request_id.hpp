#pragma once

#include <cstdint>

#include "common/ids.hpp"
#include "common/time.hpp"

namespace muster::cli {

/// A UUIDv7 (RFC 9562): 48 bits of milliseconds, then version, variant and 74 random bits. Made
/// once for a change and used for all its retries, so that it takes effect once.
[[nodiscard]] RequestId make_request_id(CivilMs now, std::uint64_t random_high,
                                        std::uint64_t random_low);

/// One of this moment, with the kernel's random bits.
[[nodiscard]] RequestId fresh_request_id();

}  // namespace muster::cli
