#include "coordinator/core/liveness/loss_rate.hpp"

#include <algorithm>

namespace muster::coordinator {

LossRate::LossRate(std::uint32_t percent, std::uint32_t burst)
    : percent_{percent}, burst_{burst}, tokens_{burst} {}

void LossRate::term_closed(std::size_t nodes) {
    const std::uint64_t rate = std::max<std::uint64_t>(1, nodes * percent_ / 100);
    tokens_ = std::min(tokens_ + rate, std::max<std::uint64_t>(rate, burst_));
}

bool LossRate::take() {
    if (tokens_ == 0) {
        return false;
    }
    --tokens_;
    return true;
}

}  // namespace muster::coordinator
