#include "common/net/security/handshake_rate.hpp"

namespace muster::net {

bool HandshakeRate::admit(Instant now, std::string_view address) {
    if (now - began_ >= 1s) {
        began_ = now;
        made_.clear();
    }
    auto found = made_.find(address);
    if (found == made_.end()) {
        if (made_.size() >= addresses) {
            return true;
        }
        found = made_.emplace(address, 0).first;
    }
    return ++found->second <= per_second_;
}

}  // namespace muster::net
