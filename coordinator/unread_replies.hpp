#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "common/net/context.hpp"
#include "common/net/meter.hpp"
#include "common/net/router.hpp"

namespace muster {

/// What was answered and waits in this process because who asked does not read: bytes of each peer,
/// and of all.
class UnreadReplies {
public:
    explicit UnreadReplies(net::Context& context) : context_{context}, all_{context.make_meter()} {}

    [[nodiscard]] std::size_t of(const net::Route& route) const;
    [[nodiscard]] std::size_t of_all() const { return all_.bytes(); }

    /// Counts what is sent to this peer from now on.
    [[nodiscard]] net::Meter& meter_of(const net::Route& route);

private:
    void forget_who_has_read();

    net::Context& context_;
    net::Meter& all_;
    std::map<net::Route, net::Meter*> peers_;  // Who has something unread, and some who had.
    std::vector<net::Meter*> idle_;            // Meters to use again: a context keeps them all.
    std::size_t most_peers_ = 0;               // More, and those who had are forgotten.
};

}  // namespace muster
