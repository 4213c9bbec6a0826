#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/ids.hpp"

namespace muster {

/// FNV-1a 64 (Fowler, Noll, Vo) in two rounds side by side. Each text follows its length, so that
/// different contents never give the same bytes. It detects mix-ups, not forgery.
class Fnv {
public:
    void number(std::uint64_t value) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            byte(static_cast<std::uint8_t>(value >> shift));
        }
    }
    void text(std::string_view value) {
        number(value.size());
        for (const char c : value) {
            byte(static_cast<std::uint8_t>(c));
        }
    }
    void id(const Digest& value) {
        number(value.high);
        number(value.low);
    }
    [[nodiscard]] Digest digest() const { return {first_, second_}; }

private:
    static constexpr std::uint64_t prime = 0x100000001b3ULL;

    void byte(std::uint8_t value) {
        first_ = (first_ ^ value) * prime;
        second_ = (second_ ^ value) * prime;
    }

    std::uint64_t first_ = 0xcbf29ce484222325ULL;   // FNV's own basis.
    std::uint64_t second_ = 0x84222325cbf29ce4ULL;  // The first with its halves exchanged.
};

}  // namespace muster
