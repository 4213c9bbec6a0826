#include "common/net/unread.hpp"

namespace muster::net {

std::size_t Unread::of(const Route& route) const {
    const auto peer = peers_.find(route);
    return peer == peers_.end() ? 0 : peer->second->bytes();
}

Meter& Unread::meter_of(const Route& route) {
    if (const auto peer = peers_.find(route); peer != peers_.end()) {
        return *peer->second;
    }
    if (peers_.size() >= most_peers_) {
        forget_who_has_read();
        most_peers_ = 2 * peers_.size() + 16;
    }
    if (idle_.empty()) {
        idle_.push_back(&context_.make_meter(&all_));
    }
    Meter& meter = *idle_.back();
    idle_.pop_back();
    peers_.emplace(route, &meter);
    return meter;
}

void Unread::forget_who_has_read() {
    for (auto peer = peers_.begin(); peer != peers_.end();) {
        if (peer->second->bytes() > 0) {
            ++peer;
        } else {
            idle_.push_back(peer->second);
            peer = peers_.erase(peer);
        }
    }
}

}  // namespace muster::net
