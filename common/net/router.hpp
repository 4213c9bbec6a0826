#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/shared.hpp"
#include "common/net/socket.hpp"

namespace muster::net {

/// The library's name of one connection: opaque, never printed or stored.
struct Route {
    std::string bytes;

    /// The number in a route that the library made. Nothing: the peer chose the route.
    [[nodiscard]] std::optional<std::uint32_t> generated() const;

    friend bool operator==(const Route&, const Route&) = default;
    friend auto operator<=>(const Route&, const Route&) = default;
};

/// The destination of an answer, in the envelope of the request.
struct Envelope {
    Route route;
    std::string correlation{};  ///< A correlating REQ puts it before the delimiter.
    bool delimited = false;     ///< REQ's empty frame before the body.
    PublicKey peer{};           ///< The key that the sender proved; none on a socket without keys.

    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// Answers many peers, DEALER or REQ, each by its route. A slow peer delays nobody: a message that
/// does not fit its queue gives `slow`, and is never queued elsewhere.
class Router : public Socket {
public:
    Router(Context& context, const Bounds& bounds);

    /// Before bind(): only peers that prove an admitted key may connect.
    void use(const ServerKeys& keys) { use_keys(keys); }

    /// Returns the bound endpoint, with its real port.
    [[nodiscard]] Result<std::string> bind(std::string_view endpoint) { return bind_to(endpoint); }

    [[nodiscard]] SendResult send(const Envelope& to, std::span<const std::string_view> frames);
    [[nodiscard]] SendResult send(const Envelope& to,
                                  std::initializer_list<std::string_view> frames) {
        return send(to, std::span{frames.begin(), frames.size()});
    }

    /// With a last frame that is not copied, and counted until it is sent.
    [[nodiscard]] SendResult send(const Envelope& to, std::span<const std::string_view> first,
                                  Shared<std::string> last, Meter& meter);

    /// `from` is also set for a probe and a dropped message.
    [[nodiscard]] Receipt receive(Envelope& from, Message& into);
    /// By which the last message came in.
    [[nodiscard]] Connection connection() { return received_connection(); }
    void trust(const Connection& connection) const { trust_connection(connection); }
    /// Messages dropped because their sender had proved no key, on a socket with keys. None should
    /// get so far: this is the second defence.
    [[nodiscard]] std::uint64_t unproved() const { return unproved_; }

private:
    /// `receive` before the key is looked at.
    [[nodiscard]] Receipt receive_any(Envelope& from, Message& into);
    /// Takes a frame after the route. Only such frames bear the key.
    [[nodiscard]] bool receive_body(Envelope& from);
    [[nodiscard]] SendResult send_to(const Envelope& to, std::span<const std::string_view> frames,
                                     bool more);

    std::uint64_t unproved_ = 0;
};

}  // namespace muster::net
