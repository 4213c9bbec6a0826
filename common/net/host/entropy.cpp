#include "common/net/host/entropy.hpp"

#include <sys/random.h>

#include "common/base/ensure.hpp"

namespace muster::net {

std::array<std::uint64_t, 2> random_bits() {
    std::array<std::uint64_t, 2> bits{};
    // Up to 256 bytes are always complete once the generator is seeded.
    ensure(getrandom(bits.data(), sizeof(bits), 0) == sizeof(bits), "the kernel has random bits");
    return bits;
}

RequestId random_request_id(CivilMs now) {
    const auto bits = random_bits();
    const auto ms = static_cast<std::uint64_t>(now) & 0xffff'ffff'ffffU;
    return {(ms << 16U) | 0x7000U | (bits[0] & 0x0fffU),
            0x8000'0000'0000'0000U | (bits[1] & 0x3fff'ffff'ffff'ffffU)};
}

}  // namespace muster::net
