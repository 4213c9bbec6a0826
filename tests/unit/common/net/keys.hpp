#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/crypto/random_key.hpp"
#include "common/net/authenticator.hpp"
#include "common/net/dealer.hpp"
#include "common/net/router.hpp"
#include "tests/unit/common/net/peers.hpp"

namespace muster {

inline std::shared_ptr<const net::KeySet> key_set(net::KeySet keys) {
    std::ranges::sort(keys);
    return std::make_shared<const net::KeySet>(std::move(keys));
}

/// A router with keys in the domain "agents", and what it received.
class KeyedRouter {
public:
    explicit KeyedRouter(net::Loop& loop, net::Router::Bounds bounds = {.message_bytes = 1'000})
        : router{test_context(), bounds} {
        router.use({.secret = key.secret, .domain = "agents"});
        const auto bound = router.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        endpoint = *bound;
        loop.watch(router, [this](Instant) {
            net::Message message;
            last = router.receive(from, message);
            messages += last == net::Receipt::message ? 1 : 0;
            return last != net::Receipt::nothing;
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
    net::Receipt last = net::Receipt::nothing;
    std::size_t messages = 0;
};

inline net::DealerOptions dealer_with(const net::ClientKeys& keys) {
    auto options = net::tool_dealer();
    options.keys = keys;
    return options;
}

}  // namespace muster
