#include "common/net/publisher.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/common/net/peers.hpp"
#include "tests/unit/common/net/raw_peer.hpp"

namespace muster {
namespace {

using zmtp::message;
using zmtp::RawPeer;

/// A publisher that is watched as a coordinator watches it.
class Events {
public:
    Events() {
        const auto bound = publisher.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        endpoint = *bound;
        loop.watch(publisher, [this](Instant) {
            const bool has_taken = publisher.take_subscription();
            taken += has_taken ? 1 : 0;
            return has_taken;
        });
    }

    net::Loop loop;
    net::Publisher publisher{test_context()};
    std::string endpoint;
    std::size_t taken = 0;
};

std::string wanted(const std::string& topic) { return '\1' + topic; }
std::string cancelled(const std::string& topic) { return '\0' + topic; }
std::string nth_topic(std::size_t n) { return "topic-" + std::to_string(n); }

}  // namespace

TEST_CASE("events reach those who asked for their topic", "[net][publisher]") {
    Events events;
    net::Subscriber subscriber{test_context()};
    REQUIRE(subscriber.connect(events.endpoint));
    subscriber.subscribe("node.");
    std::vector<std::vector<std::string>> seen;
    events.loop.watch(subscriber, [&](Instant) {
        net::Message event;
        const auto receipt = subscriber.receive(event);
        if (receipt == net::Receipt::message) {
            seen.emplace_back(event.frames().begin(), event.frames().end());
        }
        return receipt != net::Receipt::nothing;
    });
    REQUIRE(turn_until(events.loop, [&] { return events.taken == 1; }));
    events.publisher.publish("task.added", "{}");
    events.publisher.publish("node.lost", "{\"name\":\"n1\"}");
    REQUIRE(turn_until(events.loop, [&] { return !seen.empty(); }));
    CHECK(seen[0] == std::vector<std::string>{"node.lost", "{\"name\":\"n1\"}"});
}

// Goal: what listeners ask for makes nothing grow without a bound.
// Method: one asks for one topic more than is allowed; another, who asks for little, is back at
// once.
TEST_CASE("listeners that ask for too many topics are sent away", "[net][publisher]") {
    Events events;
    net::Subscriber modest{test_context()};
    REQUIRE(modest.connect(events.endpoint));
    modest.subscribe("node.");
    REQUIRE(turn_until(events.loop, [&] { return events.taken == 1; }));
    {
        net::Subscriber greedy{test_context()};
        REQUIRE(greedy.connect(events.endpoint));
        for (std::size_t i = 0; i < net::Publisher::most_topics; ++i) {
            greedy.subscribe(nth_topic(i));
        }
        REQUIRE(turn_until(events.loop, [&] { return events.publisher.let_in_again(); }));
    }
    net::Message event;
    CHECK(turn_until(events.loop, [&] {
        events.publisher.publish("node.lost", "{}");
        return modest.receive(event) == net::Receipt::message;
    }));
}

// Goal: there is no way to ask for a topic that is not counted.
// Method: one topic more than is allowed, in each way that the library takes it for one.
TEST_CASE("topics count in whatever way they are asked for", "[net][publisher]") {
    Events events;
    RawPeer greedy{events.endpoint, "SUB"};
    RawPeer other{events.endpoint, "SUB"};
    constexpr auto most = net::Publisher::most_topics;

    SECTION("beside cancels of what nobody asked for") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say(message({wanted(nth_topic(i))}));
            greedy.say(message({cancelled("other-" + std::to_string(i))}));
        }
    }
    SECTION("beside cancels by who did not ask for them") {
        for (std::size_t i = 0; i < most; ++i) {
            greedy.say(message({wanted(nth_topic(i))}));
            other.say(message({cancelled(nth_topic(i))}));
        }
        REQUIRE(turn_until(events.loop, [&] { return greedy.has_said_all(); }));
        REQUIRE(turn_until(events.loop, [&] { return events.taken == most; }));
        REQUIRE(turn_until(events.loop, [&] { return other.has_said_all(); }));
        REQUIRE(turn_until(events.loop, [&] { return events.taken == 2 * most; }));
        REQUIRE_FALSE(events.publisher.is_shut());
        greedy.say(message({wanted(nth_topic(most))}));
    }
    SECTION("behind a frame that is none") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say(message({"x", wanted(nth_topic(i))}));
        }
    }
    SECTION("behind many frames that are none") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say(message({"x", "x", "x", "x", "x", wanted(nth_topic(i))}));
        }
    }
    SECTION("two in a message") {
        for (std::size_t i = 0; i <= most; i += 2) {
            greedy.say(message({wanted(nth_topic(i)), wanted(nth_topic(i + 1))}));
        }
    }
    SECTION("behind a frame that another message ends") {
        greedy.say(message({wanted("node.")}));
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say(message({"x", wanted("node.")}));
            greedy.say(message({wanted(nth_topic(i))}));
        }
    }
    CHECK(turn_until(events.loop, [&] {
        static_cast<void>(greedy.has_said_all());
        return events.publisher.is_shut();
    }));
}

// Goal: listeners that come and go are never too many.
// Method: ask for few topics and cancel them, more often than there may be topics.
TEST_CASE("a topic that is asked for again counts once", "[net][publisher]") {
    Events events;
    RawPeer listener{events.endpoint, "SUB"};
    constexpr auto rounds = net::Publisher::most_topics + 1;
    for (std::size_t i = 0; i < rounds; ++i) {
        listener.say(message({wanted("node.")}));
        listener.say(message({cancelled("node.")}));
    }
    REQUIRE(turn_until(events.loop, [&] { return listener.has_said_all(); }));
    REQUIRE(turn_until(events.loop, [&] { return events.taken == 2 * rounds; }));
    CHECK_FALSE(events.publisher.is_shut());
}

}  // namespace muster
