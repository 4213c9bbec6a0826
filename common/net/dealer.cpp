#include "common/net/dealer.hpp"

#include <zmq.hpp>

#include "common/limits.hpp"

namespace muster::net {

DealerOptions agent_dealer(Random& random) {
    return {.message_bytes = limits::agent_message_bytes,
            .immediate = true,
            .probe = true,
            .reconnect = 500ms + std::chrono::milliseconds{random.below(1'001)}};
}

DealerOptions tool_dealer() {
    return {.message_bytes = limits::operator_message_bytes, .reconnect = 100ms, .queue = 1'024};
}

Dealer::Dealer(Context& context, const DealerOptions& options)
    : Socket{context,
             ZMQ_DEALER,
             {.message_bytes = options.message_bytes,
              .send_queue = options.queue,
              .receive_queue = options.queue}} {
    if (handle() == nullptr) {
        return;
    }
    library().set(zmq::sockopt::immediate, options.immediate);
    library().set(zmq::sockopt::probe_router, options.probe);
    library().set(zmq::sockopt::reconnect_ivl, static_cast<int>(to_ms(options.reconnect)));
    library().set(zmq::sockopt::reconnect_ivl_max, static_cast<int>(to_ms(options.reconnect_max)));
}

Receipt Dealer::receive(Message& into) {
    return receive_frame() ? receive_rest(into) : Receipt::nothing;
}

}  // namespace muster::net
