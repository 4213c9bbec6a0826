#pragma once

#include <string>
#include <string_view>

#include "common/net/socket.hpp"

namespace muster::net {

/// Tells anyone who listens: topic first, then one frame. Lossy by nature: who reads too slowly
/// misses messages, and nobody waits for him.
class Publisher : public Socket {
public:
    explicit Publisher(Context& context);

    [[nodiscard]] Result<std::string> bind(std::string_view endpoint) { return bind_to(endpoint); }
    void publish(std::string_view topic, std::string_view body);

    /// Takes one subscription off the socket, where they would pile up. False: none there.
    [[nodiscard]] bool take_subscription();

private:
    Message subscription_;
};

/// The other side.
class Subscriber : public Socket {
public:
    explicit Subscriber(Context& context);

    [[nodiscard]] Result<void> connect(std::string_view endpoint) { return connect_to(endpoint); }
    /// Every topic that begins so; empty for all.
    void subscribe(std::string_view topic);
    /// Two frames: topic and body.
    [[nodiscard]] Receipt receive(Message& into);
};

}  // namespace muster::net
