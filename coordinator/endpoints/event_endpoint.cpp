#include "coordinator/endpoints/event_endpoint.hpp"

#include <iterator>
#include <string>

#include "common/codec/codec.hpp"
#include "coordinator/core/queries/read_scope.hpp"

namespace muster::coordinator {

namespace {

// Log lines a second: a change of many tasks is one fact with thousands of events.
constexpr std::uint32_t lines_a_second = 100;

}  // namespace

EventEndpoint::EventEndpoint(net::Context& context, const Coordinator& core)
    : core_{core}, socket_{context}, listeners_{core}, lines_{lines_a_second, 1s} {}

void EventEndpoint::use(const net::ServerKeys& keys) {
    socket_.use(keys);
    socket_.judge_by([this](const PublicKey& key, std::string_view topic) {
        return listeners_.topics_of(key, topic);
    });
}

void EventEndpoint::add(std::vector<Event>&& events) {
    waiting_.insert(waiting_.end(), std::make_move_iterator(events.begin()),
                    std::make_move_iterator(events.end()));
}

void EventEndpoint::publish(Instant now, std::size_t most) {
    for (; most > 0 && !waiting_.empty(); --most) {
        publish(now, waiting_.front());
        waiting_.pop_front();
    }
}

void EventEndpoint::publish(Instant now, const Event& event) {
    const std::string body = codec::to_json(event);
    socket_.publish(event.topic, body);
    for (const std::string& name : listeners_.limited()) {
        if (core_.may_see(now, name, event)) {
            socket_.publish(event_prefix(name) + event.topic, body);
        }
    }
    // Rounds close all the time, so they are not worth an info line.
    if (event.topic.starts_with("round.")) {
        log::debug(event.topic, {{"detail", event.detail}});
    } else {
        log::write(lines_, now, log::Level::info, event.topic,
                   {{"name", event.name}, {"detail", event.detail}});
    }
}

void EventEndpoint::judge_listeners(Instant now) {
    if (listeners_.update(now)) {
        log::debug("event subscribers were disconnected because a key changed");
        are_keys_changed_ = true;
        socket_.disconnect_all();
    }
}

void EventEndpoint::bind_again_if_due(Instant now) {
    if (!socket_.is_unbound()) {
        return;
    }
    if (!are_keys_changed_) {
        log::write(
            complaints_, now, log::Level::warn,
            "event subscribers were disconnected because they subscribed to too many topics; "
            "they may reconnect when the endpoint is bound again",
            {{"most_topics", net::Publisher::most_topics}});
    }
    if (socket_.rebind()) {
        are_keys_changed_ = false;
    }
}

}  // namespace muster::coordinator
