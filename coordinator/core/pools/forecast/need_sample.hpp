#pragma once

#include <cstdint>

#include "common/base/limits.hpp"
#include "common/base/time.hpp"

/// What a pool will need, predicted from what it needed. Integers only, so every host decides
/// alike.
namespace muster::coordinator {

/// How much capacity, in the unit of its pool: memory in MB, slots, or thousandths of a core.
using Amount = std::uint64_t;
/// Of one pool. Sums of products of it fit 64 bits.
inline constexpr Amount most_amount = limits::demand_amount;

/// What a pool needed at one time.
struct NeedSample {
    CivilMs at{};
    Amount need = 0;

    friend bool operator==(const NeedSample&, const NeedSample&) = default;
};

/// From one time to another, in seconds. Negative: back.
[[nodiscard]] constexpr std::int64_t seconds_between(CivilMs from, CivilMs to) {
    return (static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from)) / 1'000;
}

}  // namespace muster::coordinator
