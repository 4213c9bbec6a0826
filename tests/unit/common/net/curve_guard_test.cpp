// What a peer with a key sends, whose frames the guard cannot read.

#include <string>

#include "tests/catch.hpp"

#include "common/net/accept/accept.hpp"
#include "common/net/accept/frame_guard.hpp"
#include "tests/unit/common/net/curve_peer.hpp"
#include "tests/unit/common/net/keys.hpp"

namespace muster {
namespace {

using namespace zmtp;

/// An endpoint with keys, and one agent that it admits.
class Admitted {
public:
    explicit Admitted(net::Router::Bounds bounds) : router{loop, bounds} {
        REQUIRE(authenticator.start());
        authenticator.admit("agents", key_set({agent.open}));
    }

    net::Loop loop;
    KeyPair agent = random_key_pair();
    net::Authenticator authenticator{test_context()};
    KeyedRouter router;
};

}  // namespace

// Goal: an agent that pings and disconnects while its messages wait does not end the process.
// Method: fill the queue of a socket that does not read, ping, disconnect; then read.
TEST_CASE("an encrypted ping after messages whose sender disconnected is survived",
          "[net][guard][security]") {
    Admitted scene{{.message_bytes = 1'000, .receive_queue = 2}};
    net::Router& router = scene.router.router;
    std::size_t read = 0;
    for (int i = 0; i < 60; ++i) {
        CurvePeer raw{scene.router.endpoint, scene.router.for_client(scene.agent)};
        REQUIRE(raw.is_admitted());
        for (int count = 0; count < 50; ++count) {
            raw.send(raw.sealed("x"));
        }
        raw.send(raw.sealed_ping() + raw.sealed_ping());
        REQUIRE(raw.has_sent_all());
        net::Loop nothing;
        net::Envelope from;
        net::Message read_one;
        REQUIRE(turn_until(
            nothing, [&] { return router.receive(from, read_one) == net::Receipt::message; }));
        raw.hang_up();
        while (router.receive(from, read_one) == net::Receipt::message) {
            ++read;
        }
    }
    CHECK(read > 0);
    net::Dealer dealer{test_context(), dealer_with(scene.router.for_client(scene.agent))};
    REQUIRE(dealer.connect(scene.router.endpoint));
    REQUIRE(dealer.send({"y"}) == net::SendResult::sent);
    const auto before = scene.router.messages;
    CHECK(turn_until(scene.loop, [&] { return scene.router.messages > before; }));
}

// Goal: an agent's message without end does not grow the process.
// Method: send frames that others shall follow until the connection is ended.
TEST_CASE("an encrypted connection that sends frames without end is ended and counted",
          "[net][guard][security]") {
    Admitted scene{{.message_bytes = 1'000}};
    const auto before = net::ended_by_guard();
    CurvePeer raw{scene.router.endpoint, scene.router.for_client(scene.agent)};
    REQUIRE(raw.is_admitted());
    std::size_t sent = 0;
    const bool ended = turn_until(scene.loop, [&] {
        for (int i = 0; i < 100 && raw.has_sent_all(); ++i, ++sent) {
            raw.send(raw.sealed("x", more));
        }
        return raw.was_ended();
    });
    CAPTURE(sent);
    CHECK(ended);
    CHECK(net::ended_by_guard() == before + 1);
}

}  // namespace muster
