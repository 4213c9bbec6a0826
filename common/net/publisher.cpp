#include "common/net/publisher.hpp"

#include <array>
#include <utility>

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
    if (is_unbound()) {  // Those that are still connected may be the ones to get no more.
        return;
    }
    const std::array frames{topic, body};
    // An event that does not fit a listener's queue is lost for that listener only.
    static_cast<void>(send_frames(frames));
}

bool Publisher::take_subscription() {
    if (!receive_frame()) {
        report_all_received();
        return false;
    }
    // The library takes any frame with this first byte for a subscription, anywhere in a message.
    // It reports a cancellation even when another listener keeps the topic, so cancellations are
    // ignored.
    if (has_keys()) {
        report_received();
    }
    // The topics of a listener that proved no key do not count, or it could disconnect all others.
    const auto key = has_keys() ? proved_key(scratch()) : std::nullopt;
    const bool is_proved = !has_keys() || key;
    const auto frame = scratch().to_string_view();
    if (judge_ && key && !frame.empty()) {
        // It concerns the listener whose frame was received last.
        const int what = frame.front() == '\1' ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE;
        for (const std::string& topic : judge_(*key, frame.substr(1))) {
            zmq_setsockopt(handle(), what, topic.data(), topic.size());
        }
    }
    if (is_proved && frame.starts_with('\1') && topics_.size() <= most_topics) {
        topics_.emplace(frame.substr(1));
    }
    if (topics_.size() > most_topics) {
        disconnect_all();
    }
    return true;
}

void Publisher::judge_by(Judge judge) {
    if (has_keys() && handle() != nullptr) {
        judge_ = std::move(judge);
        library().set(zmq::sockopt::xpub_manual, 1);
    }
}

void Publisher::disconnect_all() {
    if (is_bound_ && !topics_.empty()) {
        zmq_unbind(handle(), endpoint_.c_str());  // Ends its connections, too.
        is_bound_ = false;
    }
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
