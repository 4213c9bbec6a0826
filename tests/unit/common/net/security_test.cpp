#include "common/net/security.hpp"

#include <optional>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/common/net/keys.hpp"

namespace muster {

using net::HandshakeFailure;

// Goal: the application learns who speaks from the key that CURVE proved.
TEST_CASE("a message bears the key that its sender proved", "[net][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    const KeyPair agent = random_key_pair();
    authenticator.admit("agents", key_set({random_key_pair().open, agent.open}));
    net::Dealer dealer{test_context(), dealer_with(router.for_client(agent))};
    REQUIRE(dealer.connect(router.endpoint));
    REQUIRE(dealer.send({"version", "report"}) == net::SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return router.messages == 1; }));
    CHECK(router.from.peer == agent.open);
    CHECK(router.router.unproved() == 0);
    CHECK(authenticator.counts().accepted == 1);
    CHECK_FALSE(dealer.take_handshake_failure());
}

// Goal: [A2] nobody gets in with a key that was not given to the authenticator.
TEST_CASE("a key that is not admitted is refused, and its owner learns it", "[net][security][A2]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    authenticator.admit("agents", key_set({random_key_pair().open}));
    net::Dealer dealer{test_context(), dealer_with(router.for_client(random_key_pair()))};
    REQUIRE(dealer.connect(router.endpoint));
    REQUIRE(dealer.send({"version", "report"}) == net::SendResult::sent);
    std::optional<HandshakeFailure> failure;
    REQUIRE(
        turn_until(loop, [&] { return (failure = dealer.take_handshake_failure()).has_value(); }));
    CHECK(failure == HandshakeFailure::refused);
    CHECK(authenticator.counts().refused >= 1);
    CHECK(router.messages == 0);
}

}  // namespace muster
