#include <string>

#include "common/codec/codec.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/core/queries/read_scope.hpp"
#include "coordinator/server.hpp"

/// The part of the server that publishes events.
namespace muster::coordinator {

void Server::publish(Instant now, std::size_t most) {
    for (; most > 0 && !unpublished_.empty(); --most) {
        publish(now, unpublished_.front());
        unpublished_.pop_front();
    }
}

void Server::publish(Instant now, const Event& event) {
    const std::string body = codec::to_json(event);
    events_.publish(event.topic, body);
    for (const std::string& name : listeners_.limited()) {
        if (core_.may_see(now, name, event)) {
            events_.publish(event_prefix(name) + event.topic, body);
        }
    }
    // Rounds close all the time, so they are not worth an info line.
    if (event.topic.starts_with("round.")) {
        log::debug(event.topic, {{"detail", event.detail}});
    } else {
        log::write(event_lines_, now, log::Level::info, event.topic,
                   {{"name", event.name}, {"detail", event.detail}});
    }
}

void Server::judge_listeners(Instant now) {
    if (listeners_.update(now)) {
        log::debug("event subscribers were disconnected because a key changed");
        are_listeners_changed_ = true;
        events_.disconnect_all();
    }
}

void Server::bind_events_again(Instant now) {
    if (!are_listeners_changed_) {
        log::write(
            listener_complaints_, now, log::Level::warn,
            "event subscribers were disconnected because they subscribed to too many topics; "
            "they may reconnect when the endpoint is bound again",
            {{"most_topics", net::Publisher::most_topics}});
    }
    if (events_.rebind()) {
        are_listeners_changed_ = false;
    }
}

}  // namespace muster::coordinator
