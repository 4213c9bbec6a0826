#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/socket.hpp"

namespace muster::net {

/// Publishes to all listeners: topic first, then one frame. Lossy by design: a slow reader misses
/// messages, and nobody waits for it.
///
/// The library stores each subscribed topic, some kilobytes of memory for a few bytes of traffic,
/// without a bound. So beyond `most_topics` different ones all listeners are disconnected, and
/// honest ones reconnect at once.
class Publisher : public Socket {
public:
    static constexpr std::size_t most_topics = 1'000;
    /// The topics of a listener that proved this key and asks for this one. None: it gets nothing.
    using Judge =
        std::function<std::vector<std::string>(const PublicKey& key, std::string_view topic)>;

    explicit Publisher(Context& context);

    /// Before bind(): only listeners that prove an admitted key may connect.
    void use(const ServerKeys& keys) { use_keys(keys); }
    /// Before bind(), after use(): each subscription is judged. The library filters by topics
    /// alone, so what only some may get needs a topic of its own.
    void judge_by(Judge judge);

    [[nodiscard]] Result<std::string> bind(std::string_view endpoint);
    void publish(std::string_view topic, std::string_view body);

    /// Takes one frame from listeners off the socket, where they would pile up. False: the socket
    /// is empty.
    [[nodiscard]] bool take_subscription();
    /// Disconnects all listeners, if there are any: they reconnect, and are judged again.
    void disconnect_all();
    /// Listeners were disconnected, and wait until the endpoint is bound again, which takes a
    /// while.
    [[nodiscard]] bool is_unbound() const { return !is_bound_ && !endpoint_.empty(); }
    /// False: not yet.
    bool rebind();

private:
    Judge judge_;  ///< None: everybody gets what it asks for.
    std::string endpoint_;
    std::set<std::string> topics_;  ///< Subscribed since the endpoint was bound.
    bool is_bound_ = false;
};

/// The listeners' side.
class Subscriber : public Socket {
public:
    explicit Subscriber(Context& context, const std::optional<ClientKeys>& keys = {});

    [[nodiscard]] Result<void> connect(std::string_view endpoint) { return connect_to(endpoint); }
    /// Every topic with this prefix; empty for all.
    void subscribe(std::string_view topic);
    /// Two frames: topic and body.
    using Socket::receive;
};

}  // namespace muster::net
