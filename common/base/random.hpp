#pragma once

#include <cstdint>

#include "common/base/ensure.hpp"

namespace muster {

/// Numbers from a seed, the same on every compiler and library (the standard's distributions are
/// not). Algorithm: splitmix64 (Steele, Lea, Flood 2014). Not for secrets.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed) : state_{seed} {}

    [[nodiscard]] constexpr std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }

    /// Uniform in [0, bound), without bias. `bound` is at least 1.
    [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) {
        ensure(bound > 0, "Random::below needs a bound above 0");
        const std::uint64_t unfair = (0 - bound) % bound;
        std::uint64_t number = next();
        while (number < unfair) {
            number = next();
        }
        return number % bound;
    }

    /// True with probability numerator / denominator.
    [[nodiscard]] constexpr bool chance(std::uint64_t numerator, std::uint64_t denominator) {
        return below(denominator) < numerator;
    }

private:
    std::uint64_t state_;
};

}  // namespace muster
