#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "common/net/socket.hpp"

namespace muster::net {

/// Tells anyone who listens: topic first, then one frame. Lossy by nature: who reads too slowly
/// misses messages, and nobody waits for him.
///
/// The library keeps each topic that somebody asks for, some kilobytes of memory for a few bytes of
/// traffic, and has no bound. So when more than `most_topics` different ones were asked for, all
/// listeners are sent away, and whoever is honest is back at once.
class Publisher : public Socket {
public:
    static constexpr std::size_t most_topics = 1'000;

    explicit Publisher(Context& context);

    [[nodiscard]] Result<std::string> bind(std::string_view endpoint);
    void publish(std::string_view topic, std::string_view body);

    /// Takes one frame of what listeners say off the socket, where they would pile up. False: none
    /// there.
    [[nodiscard]] bool take_subscription();
    /// Listeners were sent away, and are to be let in again, which takes the library a while.
    [[nodiscard]] bool is_shut() const { return !is_bound_ && !endpoint_.empty(); }
    /// False: not yet.
    bool let_in_again();

private:
    std::string endpoint_;
    std::set<std::string> topics_;  ///< Asked for since listeners were let in.
    bool is_bound_ = false;
};

/// The other side.
class Subscriber : public Socket {
public:
    explicit Subscriber(Context& context);

    [[nodiscard]] Result<void> connect(std::string_view endpoint) { return connect_to(endpoint); }
    /// Every topic that begins so; empty for all.
    void subscribe(std::string_view topic);
    /// Two frames: topic and body.
    using Socket::receive;
};

}  // namespace muster::net
