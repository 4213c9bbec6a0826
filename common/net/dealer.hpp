#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/random.hpp"
#include "common/net/security/handshake_monitor.hpp"
#include "common/net/socket.hpp"

namespace muster::net {

struct DealerOptions {
    std::size_t message_bytes = 0;
    /// Sends only over an established link, so that nothing stale is delivered after an outage.
    bool immediate = false;
    /// Announces each new route to the coordinator by an empty message.
    bool probe = false;
    /// Sends a heartbeat this often, at the level of the link, and asks the other side to close a
    /// link without any. So both detect a half-open link within three of them. 0: never.
    Duration heartbeat = Duration::zero();
    Duration reconnect = 500ms;
    Duration reconnect_max = 4s;
    int send_queue = 64;        ///< Messages.
    int receive_queue = 1'024;  ///< Messages.
    std::optional<ClientKeys> keys{};
};

/// An agent's link: reconnects with jitter, so that a fleet does not come back all at once.
[[nodiscard]] DealerOptions agent_dealer(Random& random);

/// A tool's link: messages sent right after connect() wait for the link.
[[nodiscard]] DealerOptions tool_dealer();

/// The link to one coordinator. A DEALER with several peers would deal round-robin, so each peer
/// has one Dealer. It reconnects by itself, and the other side then sees a new route. After input
/// that is not ZMTP, or an error of the other side's handshake (HandshakeFailure), it does not:
/// then the library has ended the link for good, and only connect_anew() makes another.
class Dealer : public Socket {
public:
    Dealer(Context& context, const DealerOptions& options);

    [[nodiscard]] Result<void> connect(std::string_view endpoint);
    /// Ends the link in any state, and makes a new one, perhaps to another endpoint.
    [[nodiscard]] Result<void> connect_anew(std::string_view endpoint);

    /// A message would go out now: there is a link, and its queue has room.
    [[nodiscard]] bool can_send();

    /// Why the last handshake failed, once for each failure. Nothing wakes a Loop for it: ask after
    /// a turn. Without keys never anything.
    [[nodiscard]] std::optional<HandshakeFailure> take_handshake_failure();

    void close(Duration linger = Duration::zero());

    [[nodiscard]] SendResult send(std::span<const std::string_view> frames) {
        return send_frames(frames);
    }
    [[nodiscard]] SendResult send(std::initializer_list<std::string_view> frames) {
        return send(std::span{frames.begin(), frames.size()});
    }

    using Socket::receive;

private:
    std::string endpoint_;
    std::optional<HandshakeMonitor> monitor_;
};

}  // namespace muster::net
