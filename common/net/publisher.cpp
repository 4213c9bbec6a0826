#include "common/net/publisher.hpp"

#include <array>

#include <zmq.hpp>

#include "common/limits.hpp"

namespace muster::net {
namespace {

// Behind this many events a listener misses some, and asks for them again (`events since N`).
constexpr int events_queued = 1'000;
// All that a subscriber ever says is a topic.
constexpr std::size_t subscription_bytes = 256;

}  // namespace

Publisher::Publisher(Context& context)
    : Socket{context,
             ZMQ_XPUB,
             {.message_bytes = subscription_bytes,
              .send_queue = events_queued,
              .receive_queue = events_queued}} {}

void Publisher::publish(std::string_view topic, std::string_view body) {
    const std::array frames{topic, body};
    // What a listener's full queue does not take is lost for that listener alone.
    static_cast<void>(send_frames(frames));
}

bool Publisher::take_subscription() {
    return receive_frame() && receive_rest(subscription_) != Receipt::nothing;
}

Subscriber::Subscriber(Context& context)
    : Socket{context,
             ZMQ_SUB,
             {.message_bytes = limits::operator_message_bytes,
              .send_queue = events_queued,
              .receive_queue = events_queued}} {}

void Subscriber::subscribe(std::string_view topic) {
    if (handle() != nullptr) {
        library().set(zmq::sockopt::subscribe, zmq::buffer(topic));
    }
}

Receipt Subscriber::receive(Message& into) {
    return receive_frame() ? receive_rest(into) : Receipt::nothing;
}

}  // namespace muster::net
