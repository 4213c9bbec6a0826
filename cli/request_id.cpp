#include "cli/request_id.hpp"

#include <array>
#include <sys/random.h>

#include "common/ensure.hpp"
#include "common/net/clock.hpp"

namespace muster::cli {

RequestId make_request_id(CivilMs now, std::uint64_t random_high, std::uint64_t random_low) {
    const auto ms = static_cast<std::uint64_t>(raw(now)) & 0xFFFF'FFFF'FFFFULL;
    return {.high = (ms << 16U) | 0x7000U | (random_high & 0x0FFFU),
            .low = 0x8000'0000'0000'0000ULL | (random_low & 0x3FFF'FFFF'FFFF'FFFFULL)};
}

RequestId fresh_request_id() {
    std::array<std::uint64_t, 2> bits{};
    // Up to 256 bytes are never cut short once the kernel's generator is seeded.
    const auto got = getrandom(bits.data(), sizeof bits, 0);
    ensure(got == static_cast<ssize_t>(sizeof bits), "the kernel has random bits");
    return make_request_id(net::civil_now(), bits[0], bits[1]);
}

}  // namespace muster::cli
