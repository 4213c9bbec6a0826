#include "common/net/publisher.hpp"

#include <array>

#include <zmq.hpp>

#include "common/base/limits.hpp"

namespace muster::net {
namespace {

// Behind this many events a listener misses some, and asks for them again (`events since N`).
constexpr int events_queued = 1'000;
// All that a subscriber ever says is a topic, and the longest of ours has less than 32 bytes.
constexpr std::size_t subscription_bytes = 64;
// Not read yet, from one listener. What is read is remembered by the library.
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
    // What a listener's full queue does not take is lost for that listener alone.
    static_cast<void>(send_frames(frames));
}

bool Publisher::take_subscription() {
    if (!receive_frame()) {
        return false;
    }
    // The library takes any frame that begins so for a subscription, wherever it stands in a
    // message. It tells of a cancel also when another still asks for the topic, so those say
    // nothing.
    const auto frame = scratch().to_string_view();
    if (frame.starts_with('\1') && topics_.size() <= most_topics) {
        topics_.emplace(frame.substr(1));
    }
    if (topics_.size() > most_topics && is_bound_) {
        zmq_unbind(handle(), endpoint_.c_str());  // Ends what came through it, too.
        is_bound_ = false;
    }
    return true;
}

bool Publisher::let_in_again() {
    // The library ends listener and connections in its own time.
    if (!is_shut() || !bind_to(endpoint_)) {
        return false;
    }
    topics_.clear();
    is_bound_ = true;
    return true;
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

}  // namespace muster::net
