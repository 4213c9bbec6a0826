#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/catch.hpp"

#include "common/crypto/random_key.hpp"
#include "common/net/dealer.hpp"
#include "common/net/router.hpp"
#include "common/net/security/authenticator.hpp"
#include "tests/unit/common/net/peers.hpp"

namespace muster {

inline std::shared_ptr<const net::KeySet> key_set(net::KeySet keys) {
    std::ranges::sort(keys);
    return std::make_shared<const net::KeySet>(std::move(keys));
}

/// A router with keys, and what it received.
class KeyedRouter {
public:
    explicit KeyedRouter(net::Loop& loop,
                         const net::Router::Bounds& bounds = {.message_bytes = 1'000},
                         const std::string& domain = "agents")
        : router{test_context(), bounds} {
        router.use({.secret = key.secret, .domain = domain});
        const auto bound = router.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        endpoint = *bound;
        loop.watch(router, [this](Instant) {
            const auto receipt = router.receive(from, message);
            messages += receipt == net::Receipt::message ? 1 : 0;
            dropped += receipt == net::Receipt::dropped ? 1 : 0;
            return receipt != net::Receipt::nothing;
        });
    }

    /// What a peer with this key needs to connect.
    [[nodiscard]] net::ClientKeys for_client(const KeyPair& own) const {
        return {.server = key.open, .own = own};
    }

    KeyPair key = random_key_pair();
    net::Router router;
    std::string endpoint;
    net::Envelope from;
    net::Message message;
    std::size_t messages = 0;
    std::size_t dropped = 0;
};

inline net::DealerOptions dealer_with(const net::ClientKeys& keys) {
    auto options = net::tool_dealer();
    options.keys = keys;
    return options;
}

/// A peer that has connected and sent a message.
class KeyedDealer : public net::Dealer {
public:
    KeyedDealer(const std::string& endpoint, const net::ClientKeys& keys)
        : Dealer{test_context(), dealer_with(keys)} {
        REQUIRE(connect(endpoint));
        REQUIRE(send({"version", "report"}) == net::SendResult::sent);
    }

    /// Why its handshake fails; nothing: it does not, within a very long time.
    [[nodiscard]] std::optional<net::HandshakeFailure> failure(net::Loop& loop) {
        std::optional<net::HandshakeFailure> why;
        static_cast<void>(turn_until(loop, [&] {
            why = take_handshake_failure();
            return why.has_value();
        }));
        return why;
    }
};

}  // namespace muster
