#include "coordinator/core/liveness/own_health.hpp"

#include <algorithm>

namespace muster::coordinator {

bool OwnHealth::was_late(Duration late) {
    if (late < term_ / 2) {
        return false;
    }
    worst_ = std::max(worst_, late);
    return true;
}

void OwnHealth::term_closed(Instant now) {
    degraded_reason_ = is_store_ill(now) ? "the store confirms nothing for more than a term"
                       : sockets_ill_    ? "no file is left for new connections"
                                         : "";
    if (worst_ > Duration::zero()) {
        const auto terms = std::clamp<std::int64_t>(worst_ / term_, 1, most);
        patience_ = std::min(most, patience_ + static_cast<std::uint32_t>(terms));
    } else {
        patience_ = std::max(1U, patience_ - 1);
    }
    worst_ = Duration::zero();
}

void OwnHealth::note_pending_write(Instant now, std::uint64_t number) {
    if (number != owed_) {
        owed_ = number;
        owed_since_ = now;
    }
}

bool OwnHealth::is_store_ill(Instant now) const { return owed_ != 0 && now > owed_since_ + term_; }

}  // namespace muster::coordinator
