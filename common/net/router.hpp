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

    /// The number inside a route the library made. Nothing: the peer chose it by itself.
    [[nodiscard]] std::optional<std::uint32_t> generated() const;

    friend bool operator==(const Route&, const Route&) = default;
    friend auto operator<=>(const Route&, const Route&) = default;
};

/// To whom an answer goes, in the envelope in which the question came.
struct Envelope {
    Route route;
    std::string correlation{};  ///< What a REQ that correlates puts before the delimiter.
    bool delimited = false;     ///< REQ's empty frame before the body.

    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// Answers many peers, DEALER or REQ, each by its route. One slow peer delays nobody: what it does
/// not take is answered `slow`, never queued.
class Router : public Socket {
public:
    Router(Context& context, const Bounds& bounds);

    /// Returns the endpoint as bound, with its real port.
    [[nodiscard]] Result<std::string> bind(std::string_view endpoint) { return bind_to(endpoint); }

    [[nodiscard]] SendResult send(const Envelope& to, std::span<const std::string_view> frames);
    [[nodiscard]] SendResult send(const Envelope& to,
                                  std::initializer_list<std::string_view> frames) {
        return send(to, std::span{frames.begin(), frames.size()});
    }

    /// With a last frame that is not copied, and counted until it has left.
    [[nodiscard]] SendResult send(const Envelope& to, std::span<const std::string_view> first,
                                  Shared<std::string> last, Meter& meter);

    /// `from` is set also for a probe and for what was dropped.
    [[nodiscard]] Receipt receive(Envelope& from, Message& into);

private:
    [[nodiscard]] SendResult send_to(const Envelope& to, std::span<const std::string_view> frames,
                                     bool more);
};

}  // namespace muster::net
