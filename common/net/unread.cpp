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
    std::erase_if(peers_, [this](const auto& peer) {
        const bool has_read = peer.second->bytes() == 0;
        if (has_read) {
            idle_.push_back(peer.second);
        }
        return has_read;
    });
}

}  // namespace muster::net
