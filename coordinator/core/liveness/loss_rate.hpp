#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace muster::coordinator {

/// How many losses may be decided: `percent` of the nodes for each round, at least one, and up to
/// `burst` when none were decided for a while (S9). A token bucket in whole numbers.
class LossRate {
public:
    LossRate(std::uint32_t percent, std::uint32_t burst)
        : percent_{percent}, burst_{burst}, tokens_{burst} {}

    void round_closed(std::size_t nodes) {
        const std::uint64_t rate = std::max<std::uint64_t>(1, nodes * percent_ / 100);
        tokens_ = std::min(tokens_ + rate, std::max<std::uint64_t>(rate, burst_));
    }
    /// True once for each loss that may be decided now.
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
