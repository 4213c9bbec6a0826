#include "common/net/publisher.hpp"

#include <array>

#include <zmq.hpp>

#include "common/base/limits.hpp"

namespace muster::net {
namespace {

// A listener further behind misses events, and asks for them again (`events since N`).
constexpr int events_queued = 1'000;
// A subscriber sends only topics, and our longest has less than 32 bytes.
constexpr std::size_t subscription_bytes = 64;
// Unread subscriptions of one listener. The library keeps those it has read.
constexpr int subscriptions_queued = 16;

}  // namespace

Publisher::Publisher(Context& context)
    : Socket{context,
             ZMQ_XPUB,
             {.message_bytes = subscription_bytes,
              .send_queue = events_queued,
              .receive_queue = subscriptions_queued}} {}

Result<std::string> Publisher::bind(std::string_view endpoint) {
    auto bound = bind_to(endpoint);
    if (bound) {
        endpoint_ = *bound;
        is_bound_ = true;
    }
    return bound;
}

void Publisher::publish(std::string_view topic, std::string_view body) {
    const std::array frames{topic, body};
    // An event that does not fit a listener's queue is lost for that listener only.
    static_cast<void>(send_frames(frames));
}

bool Publisher::take_subscription() {
    if (!receive_frame()) {
        return false;
    }
    // The library takes any frame with this first byte for a subscription, anywhere in a message.
    // It reports a cancellation even when another listener keeps the topic, so cancellations are
    // ignored.
    if (has_keys()) {
        report_received();
    }
    // The topics of a listener that proved no key do not count, or it could disconnect all others.
    const bool is_proved = !has_keys() || proved_key(scratch());
    const auto frame = scratch().to_string_view();
    if (is_proved && frame.starts_with('\1') && topics_.size() <= most_topics) {
        topics_.emplace(frame.substr(1));
    }
    if (topics_.size() > most_topics && is_bound_) {
        zmq_unbind(handle(), endpoint_.c_str());  // Ends its connections, too.
        is_bound_ = false;
    }
    return true;
}

bool Publisher::rebind() {
    // The library ends listener and connections in the background.
    if (!is_unbound() || !bind_to(endpoint_)) {
        return false;
    }
    topics_.clear();
    is_bound_ = true;
    return true;
}

Subscriber::Subscriber(Context& context, const std::optional<ClientKeys>& keys)
    : Socket{context,
             ZMQ_SUB,
             {.message_bytes = limits::operator_message_bytes,
              .send_queue = events_queued,
              .receive_queue = events_queued}} {
    if (keys) {
        use_keys(*keys);
    }
}

void Subscriber::subscribe(std::string_view topic) {
    if (handle() != nullptr) {
        library().set(zmq::sockopt::subscribe, zmq::buffer(topic));
    }
}

}  // namespace muster::net
