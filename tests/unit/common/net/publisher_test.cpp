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

/// A publisher that is polled as in a coordinator.
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

TEST_CASE("events reach the clients that subscribed to their topic", "[net][publisher]") {
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

// Goal: subscriptions cannot exhaust memory.
// Method: one subscriber takes one topic more than allowed; another with few topics reconnects at
// once.
TEST_CASE("subscribers with too many topics are disconnected", "[net][publisher]") {
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
        REQUIRE(turn_until(events.loop, [&] { return events.publisher.rebind(); }));
    }
    net::Message event;
    CHECK(turn_until(events.loop, [&] {
        events.publisher.publish("node.lost", "{}");
        return modest.receive(event) == net::Receipt::message;
    }));
}

// Goal: every subscription is counted.
// Method: one topic more than allowed, in each form that the library accepts.
TEST_CASE("topics count in every form of subscription", "[net][publisher]") {
    Events events;
    RawPeer greedy{events.endpoint, "SUB"};
    RawPeer other{events.endpoint, "SUB"};
    constexpr auto most = net::Publisher::most_topics;

    SECTION("between cancels of topics without a subscription") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.send(message({wanted(nth_topic(i))}));
            greedy.send(message({cancelled("other-" + std::to_string(i))}));
        }
    }
    SECTION("between cancels by another subscriber") {
        for (std::size_t i = 0; i < most; ++i) {
            greedy.send(message({wanted(nth_topic(i))}));
            other.send(message({cancelled(nth_topic(i))}));
        }
        REQUIRE(turn_until(events.loop, [&] { return greedy.has_sent_all(); }));
        REQUIRE(turn_until(events.loop, [&] { return events.taken == most; }));
        REQUIRE(turn_until(events.loop, [&] { return other.has_sent_all(); }));
        REQUIRE(turn_until(events.loop, [&] { return events.taken == 2 * most; }));
        REQUIRE_FALSE(events.publisher.is_unbound());
        greedy.send(message({wanted(nth_topic(most))}));
    }
    SECTION("after an invalid frame") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.send(message({"x", wanted(nth_topic(i))}));
        }
    }
    SECTION("after many invalid frames") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.send(message({"x", "x", "x", "x", "x", wanted(nth_topic(i))}));
        }
    }
    SECTION("two in a message") {
        for (std::size_t i = 0; i <= most; i += 2) {
            greedy.send(message({wanted(nth_topic(i)), wanted(nth_topic(i + 1))}));
        }
    }
    SECTION("after a frame that another message ends") {
        greedy.send(message({wanted("node.")}));
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.send(message({"x", wanted("node.")}));
            greedy.send(message({wanted(nth_topic(i))}));
        }
    }
    CHECK(turn_until(events.loop, [&] {
        static_cast<void>(greedy.has_sent_all());
        return events.publisher.is_unbound();
    }));
}

// Goal: subscribers that come and go are never too many.
// Method: subscribe to few topics and cancel them, more often than the limit.
TEST_CASE("a topic with a repeated subscription counts once", "[net][publisher]") {
    Events events;
    RawPeer listener{events.endpoint, "SUB"};
    constexpr auto rounds = net::Publisher::most_topics + 1;
    for (std::size_t i = 0; i < rounds; ++i) {
        listener.send(message({wanted("node.")}));
        listener.send(message({cancelled("node.")}));
    }
    REQUIRE(turn_until(events.loop, [&] { return listener.has_sent_all(); }));
    REQUIRE(turn_until(events.loop, [&] { return events.taken == 2 * rounds; }));
    CHECK_FALSE(events.publisher.is_unbound());
}

}  // namespace muster
