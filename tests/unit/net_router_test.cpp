#include <arpa/inet.h>
#include <array>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/dealer.hpp"
#include "common/net/publisher.hpp"
#include "common/net/router.hpp"
#include "tests/unit/net_peers.hpp"

namespace muster {
namespace {

using net::Receipt;
using net::SendResult;

/// A router that answers every message as it came, and remembers what it saw.
class Echo {
public:
    explicit Echo(net::Loop& loop, net::RouterOptions options = {.message_bytes = 100'000})
        : router{test_context(), options} {
        const auto bound = router.bind("tcp://127.0.0.1:*");
        REQUIRE(bound);
        endpoint = *bound;
        loop.watch(router, [this](Instant) { return receive(); });
    }

    bool receive() {
        net::Message message;
        const auto receipt = router.receive(from, message);
        if (receipt == Receipt::nothing) {
            return false;
        }
        receipts.push_back(receipt);
        if (receipt == Receipt::message) {
            std::vector<std::string_view> frames{message.frames().begin(), message.frames().end()};
            last_sent = router.send(from, frames);
        }
        return true;
    }

    net::Router router;
    std::string endpoint;
    net::Envelope from;
    std::vector<Receipt> receipts;
    SendResult last_sent = SendResult::gone;
};

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

/// A listener that says what no library would, frame by frame (ZMTP 3.0).
class BareListener {
public:
    explicit BareListener(const std::string& endpoint) {
        fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(fd_ >= 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const auto port = endpoint.substr(endpoint.rfind(':') + 1);
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
        const auto* const to = reinterpret_cast<const sockaddr*>(&address);
        REQUIRE(connect(fd_, to, sizeof(address)) == 0);
        const std::string signature{"\xff\0\0\0\0\0\0\0\x01\x7f", 10};
        const std::string ready{"\4\x19\5READY\13Socket-Type\0\0\0\3SUB", 27};
        unsent_ = signature + std::string{"\3\0NULL", 6} + std::string(48, '\0') + ready;
        REQUIRE(has_said_all());
        // The library hears nothing else before it has said as much: a greeting, and its READY.
        std::array<char, 64 + 28> heard{};
        REQUIRE(recv(fd_, heard.data(), heard.size(), MSG_WAITALL) == 64 + 28);
    }
    ~BareListener() { close(fd_); }
    BareListener(const BareListener&) = delete;
    BareListener& operator=(const BareListener&) = delete;

    void say(const std::vector<std::string>& frames) {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            unsent_ += i + 1 < frames.size() ? '\1' : '\0';
            unsent_ += static_cast<char>(frames[i].size());
            unsent_ += frames[i];
        }
    }
    /// What the other side takes. True: all of it.
    [[nodiscard]] bool has_said_all() {
        const auto size = send(fd_, unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        unsent_.erase(0, size > 0 ? static_cast<std::size_t>(size) : 0);
        return unsent_.empty();
    }

private:
    int fd_ = -1;
    std::string unsent_;
};

std::string wanted(const std::string& topic) { return '\1' + topic; }
std::string cancelled(const std::string& topic) { return '\0' + topic; }
std::string nth_topic(std::size_t n) { return "topic-" + std::to_string(n); }

std::vector<std::string> frames_of(const net::Message& message) {
    return {message.frames().begin(), message.frames().end()};
}

}  // namespace

// Goal: what is asked is answered to who asked, in his envelope.
// Method: a plain question and one with REQ's delimiter, echoed.
TEST_CASE("an answer goes back by the route and in the envelope of its question", "[net][router]") {
    net::Loop loop;
    Echo echo{loop};
    net::Dealer dealer{test_context(), net::tool_dealer()};
    REQUIRE(dealer.connect(echo.endpoint));
    std::vector<std::vector<std::string>> answers;
    loop.watch(dealer, [&](Instant) {
        net::Message message;
        const auto receipt = dealer.receive(message);
        if (receipt == Receipt::message) {
            answers.push_back(frames_of(message));
        }
        return receipt != Receipt::nothing;
    });

    REQUIRE(dealer.send({"version", "body"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return answers.size() == 1; }));
    CHECK(answers[0] == std::vector<std::string>{"version", "body"});
    CHECK_FALSE(echo.from.delimited);
    CHECK(echo.from.route.generated());

    REQUIRE(dealer.send({"", "{\"verb\":\"ping\"}"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return answers.size() == 2; }));
    CHECK(answers[1] == std::vector<std::string>{"", "{\"verb\":\"ping\"}"});
    CHECK(echo.from.delimited);

    // As ZMQ_REQ_CORRELATE sends it.
    REQUIRE(dealer.send({"\1\2\3\4", "", "ping"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return answers.size() == 3; }));
    CHECK(answers[2] == std::vector<std::string>{"\1\2\3\4", "", "ping"});
    CHECK(echo.from.delimited);
    REQUIRE(dealer.send({"four", "x"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return echo.receipts.back() == Receipt::dropped; }));
}

TEST_CASE("an empty message is a probe, and one of too many frames is dropped", "[net][router]") {
    net::Loop loop;
    Echo echo{loop};
    net::Dealer dealer{test_context(), net::tool_dealer()};
    REQUIRE(dealer.connect(echo.endpoint));
    REQUIRE(dealer.send({""}) == SendResult::sent);
    REQUIRE(dealer.send({"1", "2", "3", "4", "5"}) == SendResult::sent);
    REQUIRE(dealer.send({"", ""}) == SendResult::sent);
    REQUIRE(dealer.send({"1", "2", "3", "4"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return echo.receipts.size() == 4; }));
    CHECK(echo.receipts ==
          std::vector{Receipt::probe, Receipt::dropped, Receipt::probe, Receipt::message});
    CHECK(echo.router.dropped() == 1);
}

// Goal: a new connection of an agent shows itself, so that it can be asked for its hello.
// Method: connect, touch the socket, and say nothing.
TEST_CASE("an agent's dealer probes the router", "[net][dealer]") {
    net::Loop loop;
    Echo echo{loop};
    Random random{1};
    net::Dealer dealer{test_context(), net::agent_dealer(random)};
    REQUIRE(dealer.connect(echo.endpoint));
    loop.watch(dealer, [&](Instant) {
        net::Message message;
        return dealer.receive(message) != Receipt::nothing;
    });
    REQUIRE(turn_until(loop, [&] { return !echo.receipts.empty(); }));
    CHECK(echo.receipts == std::vector{Receipt::probe});
}

// Goal: what an agent says while the coordinator is away is not delivered stale later.
// Method: send over a link that does not stand.
TEST_CASE("an agent's dealer takes nothing while it is not connected", "[net][dealer]") {
    Random random{1};
    net::Dealer dealer{test_context(), net::agent_dealer(random)};
    REQUIRE(dealer.connect("tcp://127.0.0.1:1"));
    CHECK(dealer.send({"version", "report"}) == SendResult::slow);
}

TEST_CASE("an agent's reconnection is spread over a second", "[net][dealer]") {
    Random random{7};
    for (int i = 0; i < 100; ++i) {
        const auto options = net::agent_dealer(random);
        CHECK(options.reconnect >= 500ms);
        CHECK(options.reconnect <= 1500ms);
    }
}

// Goal: a route that is gone, and a peer that does not read, cost the router nothing.
// Method: send to a route nobody has; then to a peer that never receives, until its queue is full.
TEST_CASE("what cannot be sent is an answer, not a wait", "[net][router]") {
    net::Loop loop;
    Echo echo{loop};
    CHECK(echo.router.send({.route = {std::string{"\0none", 5}}}, {"a", "b"}) == SendResult::gone);

    net::Dealer deaf{test_context(), {.message_bytes = 1'000'000, .receive_queue = 4}};
    REQUIRE(deaf.connect(echo.endpoint));
    REQUIRE(deaf.send({"here"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return !echo.receipts.empty(); }));
    const std::string large(90'000, 'x');
    SendResult result = SendResult::sent;
    for (int i = 0; i < 10'000 && result == SendResult::sent; ++i) {
        result = echo.router.send(echo.from, {"version", large});
    }
    CHECK(result == SendResult::slow);

    net::Dealer reader{test_context(), net::tool_dealer()};
    REQUIRE(reader.connect(echo.endpoint));
    REQUIRE(reader.send({"version", "body"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return echo.receipts.size() == 2; }));
    CHECK(echo.last_sent == SendResult::sent);
}

// Goal: what a peer does not read can be counted.
// Method: hand over large frames to a peer, until it has read them; to one that reads nothing,
// until its connection ends; and to nobody.
TEST_CASE("what is handed over is counted until it has left", "[net][router]") {
    net::Loop loop;
    Echo echo{loop, {.message_bytes = 100'000}};
    net::Meter& all = test_context().make_meter();
    net::Meter& meter = test_context().make_meter(&all);
    const std::string large(1'000'000, 'x');
    const std::array<std::string_view, 1> first{"version"};

    CHECK(echo.router.send({.route = {std::string{"\0none", 5}}}, first, large, meter) ==
          SendResult::gone);
    CHECK(all.bytes() == 0);

    {
        net::Dealer peer{test_context(), {.message_bytes = 2'000'000, .receive_queue = 1}};
        REQUIRE(peer.connect(echo.endpoint));
        REQUIRE(peer.send({"here"}) == SendResult::sent);
        REQUIRE(turn_until(loop, [&] { return !echo.receipts.empty(); }));
        for (int i = 0; i < 30; ++i) {
            REQUIRE(echo.router.send(echo.from, first, large, meter) == SendResult::sent);
        }
        CHECK(meter.bytes() > 1'000'000);  // More than the kernel takes.
        CHECK(all.bytes() >= meter.bytes());
        net::Message message;
        REQUIRE(turn_until(loop, [&] {
            return peer.receive(message) == Receipt::message && message.size() == 2;
        }));
        CHECK(message[0] == "version");
        CHECK(message[1] == large);
    }
    CHECK(turn_until(loop, [&] { return meter.bytes() == 0 && all.bytes() == 0; }));
}

// Goal: nobody makes us hold more than a message may have.
// Method: send more than the router allows, then see that another peer is served.
TEST_CASE("a message over the limit ends its sender's connection only", "[net][router]") {
    net::Loop loop;
    Echo echo{loop, {.message_bytes = 1'000}};
    net::Dealer greedy{test_context(), net::tool_dealer()};
    REQUIRE(greedy.connect(echo.endpoint));
    REQUIRE(greedy.send({std::string(1'001, 'x')}) == SendResult::sent);
    net::Dealer modest{test_context(), net::tool_dealer()};
    REQUIRE(modest.connect(echo.endpoint));
    REQUIRE(modest.send({std::string(1'000, 'x')}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return !echo.receipts.empty(); }));
    CHECK(echo.receipts == std::vector{Receipt::message});
}

TEST_CASE("a route that the peer chose is told from one the library made", "[net][router]") {
    CHECK(net::Route{std::string{"\0\0\0\1\2", 5}}.generated() == 258U);
    CHECK_FALSE(net::Route{"web-7"}.generated());
    CHECK_FALSE(net::Route{std::string{"\0\0\0\1", 4}}.generated());
    CHECK_FALSE(net::Route{}.generated());
}

TEST_CASE("events reach those who asked for their topic", "[net][publisher]") {
    Events events;
    net::Subscriber subscriber{test_context()};
    REQUIRE(subscriber.connect(events.endpoint));
    subscriber.subscribe("node.");
    std::vector<std::vector<std::string>> seen;
    events.loop.watch(subscriber, [&](Instant) {
        net::Message message;
        const auto receipt = subscriber.receive(message);
        if (receipt == Receipt::message) {
            seen.push_back(frames_of(message));
        }
        return receipt != Receipt::nothing;
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
    net::Message message;
    CHECK(turn_until(events.loop, [&] {
        events.publisher.publish("node.lost", "{}");
        return modest.receive(message) == Receipt::message;
    }));
}

// Goal: there is no way to ask for a topic that is not counted.
// Method: one topic more than is allowed, in each way that the library takes it for one.
TEST_CASE("topics count in whatever way they are asked for", "[net][publisher]") {
    Events events;
    BareListener greedy{events.endpoint};
    BareListener other{events.endpoint};
    constexpr auto most = net::Publisher::most_topics;

    SECTION("beside cancels of what nobody asked for") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say({wanted(nth_topic(i))});
            greedy.say({cancelled("other-" + std::to_string(i))});
        }
    }
    SECTION("beside cancels by who did not ask for them") {
        for (std::size_t i = 0; i < most; ++i) {
            greedy.say({wanted(nth_topic(i))});
            other.say({cancelled(nth_topic(i))});
        }
        REQUIRE(turn_until(events.loop, [&] { return greedy.has_said_all(); }));
        REQUIRE(turn_until(events.loop, [&] { return events.taken == most; }));
        REQUIRE(turn_until(events.loop, [&] { return other.has_said_all(); }));
        REQUIRE(turn_until(events.loop, [&] { return events.taken == 2 * most; }));
        REQUIRE_FALSE(events.publisher.is_shut());
        greedy.say({wanted(nth_topic(most))});
    }
    SECTION("behind a frame that is none") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say({"x", wanted(nth_topic(i))});
        }
    }
    SECTION("behind many frames that are none") {
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say({"x", "x", "x", "x", "x", wanted(nth_topic(i))});
        }
    }
    SECTION("two in a message") {
        for (std::size_t i = 0; i <= most; i += 2) {
            greedy.say({wanted(nth_topic(i)), wanted(nth_topic(i + 1))});
        }
    }
    SECTION("behind a frame that another message ends") {
        greedy.say({wanted("node.")});
        for (std::size_t i = 0; i <= most; ++i) {
            greedy.say({"x", wanted("node.")});
            greedy.say({wanted(nth_topic(i))});
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
    BareListener listener{events.endpoint};
    constexpr auto rounds = net::Publisher::most_topics + 1;
    for (std::size_t i = 0; i < rounds; ++i) {
        listener.say({wanted("node.")});
        listener.say({cancelled("node.")});
    }
    REQUIRE(turn_until(events.loop, [&] { return listener.has_said_all(); }));
    REQUIRE(turn_until(events.loop, [&] { return events.taken == 2 * rounds; }));
    CHECK_FALSE(events.publisher.is_shut());
}

}  // namespace muster
