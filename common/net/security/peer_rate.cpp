#include "common/net/security/peer_rate.hpp"

#include <algorithm>

namespace muster::net {

bool PeerRate::admit(Instant now, const PublicKey& peer) {
    if (paid_until_.size() >= most_) {
        forget_idle(now);
    }
    const Duration each = Duration{1s} / per_second_;
    Instant& paid_until = paid_until_[peer];
    const Instant next = std::max(paid_until, now) + each;
    if (next > now + 1s) {
        ++refused_;
        return false;
    }
    paid_until = next;
    return true;
}

void PeerRate::forget_idle(Instant now) {
    std::erase_if(paid_until_, [now](const auto& entry) { return entry.second <= now; });
    most_ = std::max<std::size_t>(1'024, 2 * paid_until_.size());
}

}  // namespace muster::net
