#pragma once

#include <array>
#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace muster::net {

/// 128 bits from the kernel's generator. Only shells ask for them.
[[nodiscard]] std::array<std::uint64_t, 2> random_bits();

template <class Id>
[[nodiscard]] Id random_id() {
    const auto bits = random_bits();
    return Id{bits[0], bits[1]};
}

/// A UUIDv7 (RFC 9562): 48 bits of civil milliseconds, the rest random.
[[nodiscard]] RequestId random_request_id(CivilMs now);

}  // namespace muster::net
