#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "common/net/context.hpp"
#include "common/net/router.hpp"

namespace muster::net {

/// What was answered and waits in this process because who asked does not read: bytes of each peer,
/// and of all.
class Unread {
public:
    /// `all` may be that of several sockets.
    Unread(Context& context, Meter& all) : context_{context}, all_{all} {}

    [[nodiscard]] std::size_t of(const Route& route) const;
    [[nodiscard]] std::size_t of_all() const { return all_.bytes(); }

    /// Counts what is sent to this peer from now on.
    [[nodiscard]] Meter& meter_of(const Route& route);

private:
    void forget_who_has_read();

    Context& context_;
    Meter& all_;
    std::map<Route, Meter*> peers_;  // Who has something unread, and some who had.
    std::vector<Meter*> idle_;       // Meters to use again: a context keeps them all.
    std::size_t most_peers_ = 0;     // More, and those who had are forgotten.
};

}  // namespace muster::net
