#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "common/base/random.hpp"
#include "common/net/socket.hpp"

namespace muster::net {

struct DealerOptions {
    std::size_t message_bytes = 0;
    /// Sends only over a link that stands, so that nothing stale is delivered after an outage.
    bool immediate = false;
    /// Shows each new route to the coordinator by an empty message.
    bool probe = false;
    /// Asks the other side for a sign of life this often, at the level of the link, and tells it to
    /// give up a link without any: both find one that is half open within three of them. 0: never.
    Duration heartbeat = Duration::zero();
    Duration reconnect = 500ms;
    Duration reconnect_max = 4s;
    int send_queue = 64;        ///< Messages.
    int receive_queue = 1'024;  ///< Messages.
};

/// An agent's link: reconnects with jitter, so that a fleet does not come back in one instant.
[[nodiscard]] DealerOptions agent_dealer(Random& random);

/// A tool's link: what is sent at once after connect() waits for the link.
[[nodiscard]] DealerOptions tool_dealer();

/// The link to one coordinator: a DEALER with several peers would deal round-robin, so there is one
/// Dealer for each. It reconnects by itself, and then the other side sees a new route; but not when
/// what it was sent is no ZMTP: then the library has ended the link for good.
class Dealer : public Socket {
public:
    Dealer(Context& context, const DealerOptions& options);

    [[nodiscard]] Result<void> connect(std::string_view endpoint);
    /// Gives up the link, whatever became of it, and makes a new one to the same endpoint.
    [[nodiscard]] Result<void> connect_anew();

    [[nodiscard]] SendResult send(std::span<const std::string_view> frames) {
        return send_frames(frames);
    }
    [[nodiscard]] SendResult send(std::initializer_list<std::string_view> frames) {
        return send(std::span{frames.begin(), frames.size()});
    }

    using Socket::receive;

private:
    std::string endpoint_;
};

}  // namespace muster::net
