#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <vector>

#include "common/log/log.hpp"
#include "common/net/context.hpp"
#include "common/net/publisher.hpp"
#include "coordinator/core/coordinator.hpp"
#include "coordinator/endpoints/listeners.hpp"

namespace muster::coordinator {

/// The events' side of the shell: publishes them, each to those who may see it, and logs them.
class EventEndpoint {
public:
    EventEndpoint(net::Context& context, const Coordinator& core);

    /// Before bind(): every listener must prove an admitted key.
    void use(const net::ServerKeys& keys);
    [[nodiscard]] Result<std::string> bind(std::string_view endpoint) {
        return socket_.bind(endpoint);
    }
    [[nodiscard]] net::Publisher& socket() { return socket_; }

    void add(std::vector<Event>&& events);
    [[nodiscard]] bool is_behind() const { return !waiting_.empty(); }
    /// At most so many of the waiting events, in their order.
    void publish(Instant now, std::size_t most);
    void publish_all(Instant now) { publish(now, waiting_.size()); }

    /// Disconnects all listeners if some may get less than before.
    void judge_listeners(Instant now);
    /// After all listeners were disconnected.
    void bind_again_if_due(Instant now);

private:
    void publish(Instant now, const Event& event);

    const Coordinator& core_;
    net::Publisher socket_;
    Listeners listeners_;
    std::deque<Event> waiting_;
    bool are_keys_changed_ = false;  // So the listeners were disconnected.
    log::RateLimit lines_;
    log::RateLimit complaints_;
};

}  // namespace muster::coordinator
