#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/time.hpp"

namespace muster::coordinator {

/// A histogram of durations: a count for each bound, and the sum.
class Histogram {
public:
    /// In microseconds: from negligible to a wait that an operator notices.
    static constexpr std::array<std::uint64_t, 12> bounds{
        100,     500,     1'000,   5'000,     10'000,    50'000,
        100'000, 250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};

    void add(Duration duration) {
        const auto us = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(std::max(duration, Duration{}))
                .count());
        const auto* const bound = std::lower_bound(bounds.begin(), bounds.end(), us);
        ++counts_[static_cast<std::size_t>(bound - bounds.begin())];
        sum_us_ += us;
    }

    /// One count for each bound, of durations above the bound before; the last counts durations
    /// above all bounds.
    [[nodiscard]] const std::array<std::uint64_t, bounds.size() + 1>& counts() const {
        return counts_;
    }
    [[nodiscard]] std::uint64_t sum_us() const { return sum_us_; }

private:
    friend struct CoreFields;

    std::array<std::uint64_t, bounds.size() + 1> counts_{};
    std::uint64_t sum_us_ = 0;
};

}  // namespace muster::coordinator
