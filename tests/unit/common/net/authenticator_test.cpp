#include "common/net/security/authenticator.hpp"

#include <array>
#include <string>

#include "tests/catch.hpp"

#include "common/net/accept/accept.hpp"
#include "common/net/publisher.hpp"
#include "tests/unit/common/net/curve_peer.hpp"
#include "tests/unit/common/net/foreign_handler.hpp"
#include "tests/unit/common/net/keys.hpp"

namespace muster {

using net::HandshakeFailure;

// Goal: nobody gets in when nobody says who may.
// Method: the authenticator was never started, or it was stopped.
TEST_CASE("without an authenticator nobody is admitted", "[net][security][A3]") {
    const bool was_there = GENERATE(false, true);
    CAPTURE(was_there);
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    const KeyPair agent = random_key_pair();
    authenticator.admit("agents", key_set({agent.open}));
    authenticator.admit_any("agents", true);
    if (was_there) {
        REQUIRE(authenticator.start());
    }
    KeyedRouter router{loop};
    if (was_there) {
        const KeyedDealer before{router.endpoint, router.for_client(agent)};
        REQUIRE(turn_until(loop, [&] { return router.messages == 1; }));
        authenticator.stop();
    }
    const auto messages = router.messages;
    KeyedDealer dealer{router.endpoint, router.for_client(agent)};
    CHECK(dealer.failure(loop) == HandshakeFailure::no_answer);
    CHECK(router.messages == messages);
    CHECK(router.dropped == 0);
}

// Goal: nobody gets in while the authenticator hangs. Method: one that never answers.
TEST_CASE("a handshake waits for an authenticator that hangs", "[net][security][A3]") {
    net::Loop loop;
    ForeignHandler hung;
    KeyedRouter router{loop};
    KeyedDealer first{router.endpoint, router.for_client(random_key_pair())};
    REQUIRE(turn_until(loop, [&] { return hung.asked() == 1; }));
    KeyedDealer second{router.endpoint, router.for_client(random_key_pair())};
    REQUIRE(turn_until(loop, [&] { return hung.asked() == 2; }));
    CHECK(router.messages == 0);
    CHECK(router.dropped == 0);
    REQUIRE(turn_until(loop, [&] { return hung.answer("400", ""); }));
    CHECK(first.failure(loop) == HandshakeFailure::refused);
    CHECK(second.failure(loop) == HandshakeFailure::refused);
    CHECK(router.messages == 0);
}

// Goal: the application acts for nobody whose key is not known.
// Method: a handler that admits everybody under no name, or under a name that is not a key.
TEST_CASE("a message whose sender proved no key is dropped and counted", "[net][security]") {
    const std::string user = GENERATE("", "web-7", "00ff");
    CAPTURE(user);
    net::Loop loop;
    ForeignHandler handler;
    KeyedRouter router{loop};
    KeyedDealer dealer{router.endpoint, router.for_client(random_key_pair())};
    REQUIRE(turn_until(loop, [&] { return handler.answer("200", user); }));
    REQUIRE(turn_until(loop, [&] { return router.dropped == 1; }));
    CHECK(router.router.unproved() == 1);
    CHECK(router.from.peer.is_none());
    CHECK(router.message.size() == 0);
    REQUIRE(dealer.send({""}) == net::SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return router.dropped == 2; }));
    CHECK(router.router.unproved() == 2);
    CHECK(router.messages == 0);
}

TEST_CASE("a server that cannot decide says that it is temporary", "[net][security]") {
    net::Loop loop;
    ForeignHandler handler;
    KeyedRouter router{loop};
    KeyedDealer dealer{router.endpoint, router.for_client(random_key_pair())};
    REQUIRE(turn_until(loop, [&] { return handler.answer("500", ""); }));
    CHECK(dealer.failure(loop) == HandshakeFailure::temporary);
}

// Goal: a key is good for its own endpoint only. Method: two domains with a key each.
TEST_CASE("a key of one domain is refused in another", "[net][security][A7]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter agents{loop};
    KeyedRouter operators{loop, {.message_bytes = 1'000}, "operators"};
    KeyedRouter unset{loop, {.message_bytes = 1'000}, "enrolment"};
    const KeyPair agent = random_key_pair();
    const KeyPair person = random_key_pair();
    authenticator.admit("agents", key_set({agent.open}));
    authenticator.admit("operators", key_set({person.open}));
    KeyedDealer wrong{operators.endpoint, operators.for_client(agent)};
    CHECK(wrong.failure(loop) == HandshakeFailure::refused);
    KeyedDealer as_wrong{agents.endpoint, agents.for_client(person)};
    CHECK(as_wrong.failure(loop) == HandshakeFailure::refused);
    KeyedDealer early{unset.endpoint, unset.for_client(agent)};
    CHECK(early.failure(loop) == HandshakeFailure::refused);
    const KeyedDealer right{agents.endpoint, agents.for_client(agent)};
    const KeyedDealer also_right{operators.endpoint, operators.for_client(person)};
    CHECK(turn_until(loop, [&] { return agents.messages == 1 && operators.messages == 1; }));
}

TEST_CASE("an open domain admits every key, with its name, until it is closed", "[net][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop, {.message_bytes = 1'000}, "enrolment"};
    const KeyPair unknown = random_key_pair();
    authenticator.admit_any("enrolment", true);
    const KeyedDealer first{router.endpoint, router.for_client(unknown)};
    REQUIRE(turn_until(loop, [&] { return router.messages == 1; }));
    CHECK(router.from.peer == unknown.open);
    authenticator.admit_any("enrolment", false);
    KeyedDealer second{router.endpoint, router.for_client(unknown)};
    CHECK(second.failure(loop) == HandshakeFailure::refused);
}

TEST_CASE("a domain whose keys are taken away admits nobody", "[net][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    const KeyPair agent = random_key_pair();
    authenticator.admit("agents", key_set({agent.open}));
    authenticator.admit("agents", nullptr);
    KeyedDealer dealer{router.endpoint, router.for_client(agent)};
    CHECK(dealer.failure(loop) == HandshakeFailure::refused);
}

TEST_CASE("a second authenticator in one process is an error", "[net][security]") {
    net::Authenticator first{test_context()};
    REQUIRE(first.start());
    net::Authenticator second{test_context()};
    const auto refused = second.start();
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Catch::Contains("the check of keys at handshakes"));
    first.stop();
    net::Authenticator third{test_context()};
    CHECK(third.start());
}

// Goal: one address cannot make all others wait for its handshakes. Method: a rate of none.
TEST_CASE("an address with too many handshakes is sent away and counted", "[net][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context(), 0};
    REQUIRE(authenticator.start());
    KeyedRouter router{loop};
    authenticator.admit_any("agents", true);
    KeyedDealer dealer{router.endpoint, router.for_client(random_key_pair())};
    CHECK(dealer.failure(loop) == HandshakeFailure::temporary);
    CHECK(authenticator.counts().too_fast == 1);
    CHECK(authenticator.counts().accepted == 0);
    CHECK(router.messages == 0);
}

TEST_CASE("each address has its own handshakes of a second", "[net][security]") {
    net::HandshakeRate rate{2};
    const Instant begin{10s};
    CHECK(rate.admit(begin, "192.0.2.1"));
    CHECK(rate.admit(begin + 999ms, "192.0.2.1"));
    CHECK_FALSE(rate.admit(begin + 999ms, "192.0.2.1"));
    CHECK(rate.admit(begin + 999ms, "192.0.2.2"));
    CHECK(rate.admit(begin + 1s, "192.0.2.1"));
    // Others beyond the bound are not remembered.
    for (std::size_t i = 0; i < net::HandshakeRate::addresses; ++i) {
        CHECK(rate.admit(begin + 1s, std::to_string(i)));
    }
    for (int i = 0; i < 3; ++i) {
        CHECK(rate.admit(begin + 1s, "192.0.2.3"));
    }
    CHECK(rate.admit(begin + 1s, "192.0.2.1"));
    CHECK_FALSE(rate.admit(begin + 1s, "192.0.2.1"));
}

namespace {

/// A publisher with keys that is polled as in a coordinator.
class KeyedEvents {
public:
    explicit KeyedEvents(net::Loop& loop) {
        publisher.use({.secret = key.secret, .domain = "events"});
        const auto bound = publisher.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        endpoint = *bound;
        loop.watch(publisher, [this](Instant) {
            const bool has_taken = publisher.take_subscription();
            taken += has_taken ? 1 : 0;
            return has_taken;
        });
    }
    KeyPair key = random_key_pair();
    net::Publisher publisher{test_context()};
    std::string endpoint;
    std::size_t taken = 0;
};

}  // namespace

TEST_CASE("events reach listeners with an admitted key only", "[net][publisher][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedEvents events{loop};
    const KeyPair person = random_key_pair();
    authenticator.admit("events", key_set({person.open}));
    net::Subscriber stranger{test_context(),
                             net::ClientKeys{.server = events.key.open, .own = random_key_pair()}};
    REQUIRE(stranger.connect(events.endpoint));
    stranger.subscribe("");
    REQUIRE(turn_until(loop, [&] { return authenticator.counts().refused == 1; }));
    net::Subscriber listener{test_context(),
                             net::ClientKeys{.server = events.key.open, .own = person}};
    REQUIRE(listener.connect(events.endpoint));
    listener.subscribe("node.");
    REQUIRE(turn_until(loop, [&] { return events.taken == 1; }));
    events.publisher.publish("node.lost", "{}");
    net::Message event;
    REQUIRE(turn_until(loop, [&] { return listener.receive(event) == net::Receipt::message; }));
    CHECK(event[0] == "node.lost");
    CHECK(stranger.receive(event) == net::Receipt::nothing);
}

// Goal: a listener whom nobody knows cannot disconnect the others.
// Method: it subscribes to more topics than are allowed; the same with a key disconnects.
TEST_CASE("topics of a listener that proved no key are not counted", "[net][publisher][security]") {
    const bool is_known = GENERATE(false, true);
    CAPTURE(is_known);
    net::Loop loop;
    ForeignHandler handler;
    KeyedEvents events{loop};
    const KeyPair person = random_key_pair();
    // Two, because more topics do not fit the queue of one.
    const net::ClientKeys keys{.server = events.key.open, .own = person};
    std::array<net::Subscriber, 2> greedy{net::Subscriber{test_context(), keys},
                                          net::Subscriber{test_context(), keys}};
    for (auto& one : greedy) {
        REQUIRE(one.connect(events.endpoint));
    }
    for (std::size_t i = 0; i <= net::Publisher::most_topics; ++i) {
        greedy[i % 2].subscribe("topic-" + std::to_string(i));
    }
    REQUIRE(turn_until(loop, [&] {
        handler.answer("200", is_known ? to_string(person.open) : std::string{});
        return events.taken > net::Publisher::most_topics;
    }));
    CHECK(events.publisher.is_unbound() == is_known);
}

// Goal: a listener that comes and goes is not taken for one that sends without end.
// Method: more subscriptions than may wait, which are taken.
TEST_CASE("a listener may send any number of subscriptions that are taken",
          "[net][guard][publisher][security]") {
    net::Loop loop;
    net::Authenticator authenticator{test_context()};
    REQUIRE(authenticator.start());
    KeyedEvents events{loop};
    authenticator.admit_any("events", true);
    const auto ended = net::ended_by_guard();
    zmtp::CurvePeer listener{
        events.endpoint, {.server = events.key.open, .own = random_key_pair()}, "SUB"};
    REQUIRE(listener.is_admitted());
    constexpr std::size_t rounds = net::Unreceived::most_frames / 2 + 100;
    std::size_t sent = 0;
    CHECK(turn_until(loop, [&] {
        for (int i = 0; i < 100 && sent < rounds && listener.has_sent_all(); ++i, ++sent) {
            listener.send(listener.sealed("\1node."));
            listener.send(listener.sealed(std::string{"\0node.", 6}));
        }
        static_cast<void>(listener.has_sent_all());
        return events.taken == 2 * rounds || listener.was_ended();
    }));
    CHECK(events.taken == 2 * rounds);
    CHECK(net::ended_by_guard() == ended);
}

}  // namespace muster
