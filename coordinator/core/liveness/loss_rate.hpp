#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace muster::coordinator {

/// A token bucket for losses: `percent` of the nodes in each round, at least one, and up to `burst`
/// after rounds without losses (S9).
class LossRate {
public:
    LossRate(std::uint32_t percent, std::uint32_t burst)
        : percent_{percent}, burst_{burst}, tokens_{burst} {}

    void round_closed(std::size_t nodes) {
        const std::uint64_t rate = std::max<std::uint64_t>(1, nodes * percent_ / 100);
        tokens_ = std::min(tokens_ + rate, std::max<std::uint64_t>(rate, burst_));
    }
    /// Takes a token. False: no loss may be decided now.
    [[nodiscard]] bool take() {
        const bool may = tokens_ > 0;
        tokens_ -= may ? 1 : 0;
        return may;
    }

private:
    friend struct CoreFields;

    std::uint32_t percent_;
    std::uint32_t burst_;
    std::uint64_t tokens_;
};

}  // namespace muster::coordinator
