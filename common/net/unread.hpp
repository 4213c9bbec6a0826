#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "common/net/context.hpp"
#include "common/net/router.hpp"

namespace muster::net {

/// Counts answers that wait in this process because a peer does not read: bytes of each peer, and
/// of all.
class Unread {
public:
    /// `all` may be shared by several sockets.
    Unread(Context& context, Meter& all) : context_{context}, all_{all} {}

    [[nodiscard]] std::size_t of(const Route& route) const;
    [[nodiscard]] std::size_t of_all() const { return all_.bytes(); }

    /// The meter for messages to this peer.
    [[nodiscard]] Meter& meter_of(const Route& route);

private:
    void forget_who_has_read();

    Context& context_;
    Meter& all_;
    std::map<Route, Meter*> peers_;  // Peers with unread bytes, and some without.
    std::vector<Meter*> idle_;       // For reuse: a context keeps all meters.
    std::size_t most_peers_ = 0;     // Above it, peers without unread bytes are dropped.
};

}  // namespace muster::net
