#include "common/net/router.hpp"

#include <array>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/dealer.hpp"
#include "tests/unit/common/net/peers.hpp"

namespace muster {
namespace {

using net::Receipt;
using net::SendResult;

/// A router that echoes every message and records it.
class Echo {
public:
    explicit Echo(net::Loop& loop, net::Router::Bounds options = {.message_bytes = 100'000})
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

std::vector<std::string> frames_of(const net::Message& message) {
    return {message.frames().begin(), message.frames().end()};
}

}  // namespace

// Goal: an answer goes to the client that asked, in its envelope.
// Method: echo a plain question and one with REQ's delimiter.
TEST_CASE("an answer uses the route and the envelope of its question", "[net][router]") {
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

    // The form of ZMQ_REQ_CORRELATE.
    REQUIRE(dealer.send({"\1\2\3\4", "", "ping"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return answers.size() == 3; }));
    CHECK(answers[2] == std::vector<std::string>{"\1\2\3\4", "", "ping"});
    CHECK(echo.from.delimited);
    REQUIRE(dealer.send({"four", "x"}) == SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return echo.receipts.back() == Receipt::dropped; }));
}

TEST_CASE("an empty message is a probe, and one with too many frames is dropped", "[net][router]") {
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

// Goal: a new connection of an agent is noticed, so that the coordinator can ask for its hello.
// Method: connect, touch the socket, and send nothing.
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

// Goal: messages of an agent during a coordinator's absence are not delivered late.
// Method: send over a connection that is not established.
TEST_CASE("an agent's dealer accepts no message while it is not connected", "[net][dealer]") {
    Random random{1};
    net::Dealer dealer{test_context(), net::agent_dealer(random)};
    REQUIRE(dealer.connect("tcp://127.0.0.1:1"));
    CHECK(dealer.send({"version", "report"}) == SendResult::slow);
}

TEST_CASE("reconnects of agents are spread over a second", "[net][dealer]") {
    Random random{7};
    for (int i = 0; i < 100; ++i) {
        const auto options = net::agent_dealer(random);
        CHECK(options.reconnect >= 500ms);
        CHECK(options.reconnect <= 1500ms);
    }
}

// Goal: a closed route and a peer that does not read do not block the router.
// Method: send to an unknown route; then to a peer that never reads, until its queue is full.
TEST_CASE("a failed send returns at once", "[net][router]") {
    net::Loop loop;
    Echo echo{loop};
    CHECK(echo.router.send({.route = {std::string{"\0none", 5}}}, {"a", "b"}) == SendResult::gone);

    net::Dealer unread{test_context(), {.message_bytes = 1'000'000, .receive_queue = 4}};
    REQUIRE(unread.connect(echo.endpoint));
    REQUIRE(unread.send({"here"}) == SendResult::sent);
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

// Goal: unread data of a peer can be counted.
// Method: send large frames to a peer until it has read them; to one that reads nothing, until its
// connection ends; and to an unknown one.
TEST_CASE("sent data is counted until it has left", "[net][router]") {
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
        CHECK(meter.bytes() > 1'000'000);  // More than the kernel buffers.
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

// Goal: no peer can make the daemon hold more than the message limit.
// Method: send more than the router allows; another peer is still served.
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

TEST_CASE("a route that the peer chose is distinguished from one that the library made",
          "[net][router]") {
    CHECK(net::Route{std::string{"\0\0\0\1\2", 5}}.generated() == 258U);
    CHECK_FALSE(net::Route{"web-7"}.generated());
    CHECK_FALSE(net::Route{std::string{"\0\0\0\1", 4}}.generated());
    CHECK_FALSE(net::Route{}.generated());
}

}  // namespace muster
