#include "common/net/dealer.hpp"

#include <zmq.hpp>

#include "common/base/limits.hpp"

namespace muster::net {
namespace {

// Half-open links end after three of these; the coordinator's recovery_grace relies on it.
constexpr Duration agent_heartbeat = 2s;

}  // namespace

DealerOptions agent_dealer(Random& random) {
    return {.message_bytes = limits::agent_message_bytes,
            .immediate = true,
            .probe = true,
            .heartbeat = agent_heartbeat,
            .reconnect = 500ms + std::chrono::milliseconds{random.below(1'001)}};
}

DealerOptions tool_dealer() {
    return {
        .message_bytes = limits::operator_message_bytes, .reconnect = 100ms, .send_queue = 1'024};
}

Dealer::Dealer(Context& context, const DealerOptions& options)
    : Socket{context,
             ZMQ_DEALER,
             {.message_bytes = options.message_bytes,
              .send_queue = options.send_queue,
              .receive_queue = options.receive_queue}} {
    if (options.keys) {
        use_keys(*options.keys);
    }
    if (handle() == nullptr) {
        return;
    }
    if (options.keys) {
        monitor_.emplace(context, handle());
    }
    library().set(zmq::sockopt::immediate, options.immediate);
    library().set(zmq::sockopt::probe_router, options.probe);
    // Only this side sends heartbeats. The library's timer on a socket with a full queue ends the
    // process when the peer hangs up (an assertion of 4.3.4 and 4.3.5), and strangers can fill a
    // router's queues.
    const int heartbeat = static_cast<int>(to_ms(options.heartbeat));
    library().set(zmq::sockopt::heartbeat_ivl, heartbeat);
    library().set(zmq::sockopt::heartbeat_timeout, 3 * heartbeat);
    library().set(zmq::sockopt::heartbeat_ttl, 3 * heartbeat);
    library().set(zmq::sockopt::reconnect_ivl, static_cast<int>(to_ms(options.reconnect)));
    library().set(zmq::sockopt::reconnect_ivl_max, static_cast<int>(to_ms(options.reconnect_max)));
}

void Dealer::close(Duration linger) {
    monitor_.reset();
    Socket::close(linger);
}

std::optional<HandshakeFailure> Dealer::take_handshake_failure() {
    return monitor_ ? monitor_->take() : std::nullopt;
}

bool Dealer::can_send() { return (library().get(zmq::sockopt::events) & ZMQ_POLLOUT) != 0; }

Result<void> Dealer::connect(std::string_view endpoint) {
    endpoint_ = endpoint;
    return connect_to(endpoint);
}

Result<void> Dealer::connect_anew(std::string_view endpoint) {
    disconnect_from(endpoint_);
    return connect(endpoint);
}

}  // namespace muster::net
