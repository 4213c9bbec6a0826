#include "common/net/security/security.hpp"

#include <string>

#include "tests/catch.hpp"

#include "tests/temporary_directory.hpp"
#include "tests/unit/common/net/foreign_handler.hpp"
#include "tests/unit/common/net/keys.hpp"
#include "tests/unit/common/net/raw_peer.hpp"

namespace muster {
namespace {

using net::HandshakeFailure;

/// Turns the loop until a peer with an admitted key got a message through, so that everything sent
/// before it would have come, too.
void let_another_in(net::Loop& loop, net::Authenticator& authenticator, KeyedRouter& router) {
    const KeyPair other = random_key_pair();
    authenticator.admit("agents", key_set({other.open}));
    const KeyedDealer dealer{router.endpoint, router.for_client(other)};
    REQUIRE(turn_until(loop, [&] { return router.from.peer == other.open; }));
}

}  // namespace

// Goal: without keys nobody outside of the host reaches a daemon.
// Method: bind each kind of endpoint with and without keys.
TEST_CASE("an endpoint that is not on this host needs keys", "[net][security][A1]") {
    const TemporaryDirectory directory;
    const auto ipc = "ipc://" + directory.path() + "/run/x.sock";
    const auto bound = [](const std::string& endpoint, bool has_keys) {
        net::Router router{test_context(), {.message_bytes = 1'000}};
        if (has_keys) {
            router.use({.secret = random_secret(), .domain = "agents"});
        }
        const auto result = router.bind(endpoint);
        return result ? "bound" : result.error().detail;
    };
    for (const auto* loopback : {"tcp://127.0.0.1:*", "tcp://[::1]:*", "tcp://localhost:*"}) {
        CHECK(bound(loopback, false) == "bound");
        CHECK(bound(loopback, true) == "bound");
    }
    CHECK(bound(ipc, false) == "bound");
    for (const std::string open : {"tcp://0.0.0.0:*", "tcp://*:*", "tcp://[::]:*"}) {
        CHECK(bound(open, false) == "cannot bind " + open +
                                        ": keys are required for addresses other than loopback; "
                                        "run muster init");
        CHECK(bound(open, true) == "bound");
    }
    CHECK_THAT(bound("tcp://192.0.2.1:7700", false), Catch::Contains("keys are required"));
    CHECK_THAT(bound("tcp://192.0.2.1:7700", true),
               Catch::Contains("cannot bind tcp://192.0.2.1:7700") &&
                   !Catch::Contains("keys are required"));
}

TEST_CASE("a peer on another host is only reached with keys", "[net][security][A1]") {
    const auto connected = [](const std::string& endpoint, bool has_keys) {
        auto options = net::tool_dealer();
        if (has_keys) {
            options.keys = {.server = random_key_pair().open, .own = random_key_pair()};
        }
        net::Dealer dealer{test_context(), options};
        const auto result = dealer.connect(endpoint);
        return result ? "connecting" : result.error().detail;
    };
    CHECK(connected("tcp://127.0.0.1:1", false) == "connecting");
    CHECK(connected("tcp://127.0.0.1:1", true) == "connecting");
    CHECK(connected("ipc:///nonexistent", false) == "connecting");
    CHECK_THAT(connected("ipc:///nonexistent", true), Catch::Contains("ipc has none"));
    for (const std::string far : {"tcp://192.0.2.1:7700", "tcp://[2001:db8::1]:7700"}) {
        CHECK_THAT(connected(far, false),
                   Catch::StartsWith("cannot connect to " + far + ": keys are required for "));
        CHECK(connected(far, true) == "connecting");
    }
    CHECK_THAT(connected("tcp://c1.example:7700", false), Catch::Contains("keys are required"));
}

// Goal: the application learns who speaks from the key that CURVE proved.
TEST_CASE("a message bears the key that its sender proved", "[net][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    const KeyPair agent = random_key_pair();
    authenticator.admit("agents", key_set({random_key_pair().open, agent.open}));
    KeyedDealer dealer{router.endpoint, router.for_client(agent)};
    REQUIRE(turn_until(loop, [&] { return router.messages == 1; }));
    CHECK(router.from.peer == agent.open);
    CHECK(router.message[1] == "report");
    CHECK(router.router.unproved() == 0);
    CHECK(authenticator.counts().accepted == 1);
    CHECK_FALSE(dealer.take_handshake_failure());
}

// Goal: encryption takes nothing from the length of a message. Method: the longest, and one more.
TEST_CASE("an encrypted message may be as long as a plain one", "[net][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    const KeyPair agent = random_key_pair();
    authenticator.admit("agents", key_set({agent.open}));
    KeyedDealer greedy{router.endpoint, router.for_client(agent)};
    REQUIRE(turn_until(loop, [&] { return router.messages == 1; }));
    REQUIRE(greedy.send({"version", std::string(1'000, 'x')}) == net::SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return router.messages == 2; }));
    REQUIRE(greedy.send({"version", std::string(1'001, 'x')}) == net::SendResult::sent);
    let_another_in(loop, authenticator, router);
    CHECK(router.messages == 3);
}

TEST_CASE("a key that is not admitted is refused, and its owner learns it",
          "[net][security][A2][A10]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    authenticator.admit("agents", key_set({random_key_pair().open}));
    KeyedDealer dealer{router.endpoint, router.for_client(random_key_pair())};
    CHECK(dealer.failure(loop) == HandshakeFailure::refused);
    CHECK(authenticator.counts().refused == 1);
    let_another_in(loop, authenticator, router);
    CHECK(router.messages == 1);
}

// Goal: a refusal is not for ever, because an operator may admit the key later.
TEST_CASE("a refused peer gets in by a new connection after its key was admitted",
          "[net][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    const KeyPair agent = random_key_pair();
    KeyedDealer dealer{router.endpoint, router.for_client(agent)};
    REQUIRE(dealer.failure(loop) == HandshakeFailure::refused);
    CHECK_FALSE(dealer.take_handshake_failure());
    authenticator.admit("agents", key_set({agent.open}));
    REQUIRE(dealer.connect_anew(router.endpoint));
    REQUIRE(dealer.send({"version", "hello"}) == net::SendResult::sent);
    CHECK(turn_until(loop, [&] { return router.from.peer == agent.open; }));
    CHECK_FALSE(dealer.take_handshake_failure());
}

// Goal: an agent never speaks to a coordinator with another key, and says so.
TEST_CASE("a server with another key, or without one, gives no answer", "[net][security][A10]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    authenticator.admit_any("agents", true);
    KeyedDealer wrong{router.endpoint,
                      {.server = random_key_pair().open, .own = random_key_pair()}};
    CHECK(wrong.failure(loop) == HandshakeFailure::no_answer);
    net::Router plain{test_context(), {.message_bytes = 1'000}};
    const auto bound = plain.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    KeyedDealer keyed{*bound, router.for_client(random_key_pair())};
    CHECK(keyed.failure(loop) == HandshakeFailure::no_answer);
    CHECK(router.messages == 0);
    net::Envelope from;
    net::Message message;
    CHECK(plain.receive(from, message) == net::Receipt::nothing);
}

TEST_CASE("peers without keys, or with a password, are refused where keys are required",
          "[net][security][A9]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    authenticator.admit_any("agents", true);
    const std::string password{"\x05HELLO\x01n\x01p", 10};
    for (const auto& bytes : {zmtp::greeting() + zmtp::ready("DEALER"),
                              zmtp::greeting(3, "PLAIN") + zmtp::frame(password, zmtp::command)}) {
        zmtp::RawLink raw{router.endpoint};
        raw.send(bytes + zmtp::message({"version", "report"}));
        CHECK(turn_until(loop, [&] {
            static_cast<void>(raw.has_sent_all());
            return raw.was_ended();
        }));
    }
    let_another_in(loop, authenticator, router);
    CHECK(router.messages == 1);
    CHECK(authenticator.counts().accepted == 1);
}

// Goal: a revoked key can be cut off at its next message, though its connection stays.
TEST_CASE("a removed key cannot connect again, and its old connection still proves it",
          "[net][security][A11]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    const KeyPair agent = random_key_pair();
    authenticator.admit("agents", key_set({agent.open}));
    KeyedDealer before{router.endpoint, router.for_client(agent)};
    REQUIRE(turn_until(loop, [&] { return router.messages == 1; }));
    authenticator.admit("agents", key_set({}));
    KeyedDealer after{router.endpoint, router.for_client(agent)};
    CHECK(after.failure(loop) == HandshakeFailure::refused);
    REQUIRE(before.send({"version", "late"}) == net::SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return router.messages == 2; }));
    CHECK(router.message[1] == "late");
    CHECK(router.from.peer == agent.open);
}

}  // namespace muster
