#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/accept/frame_guard.hpp"
#include "common/net/accept/guarded.hpp"
#include "common/net/dealer.hpp"
#include "common/net/router.hpp"
#include "tests/unit/common/net/peers.hpp"
#include "tests/unit/common/net/raw_peer.hpp"

namespace muster {
namespace {

using net::FrameGuard;
using namespace zmtp;

/// The pieces in which all of it is admitted, where each piece may have so many bytes; a last empty
/// one if the connection is ended.
std::vector<std::string> pieces_of(std::string bytes, std::size_t at_most) {
    FrameGuard guard;
    std::vector<std::string> pieces;
    while (!bytes.empty()) {
        const auto admitted = guard.admit(std::string_view{bytes}.substr(0, at_most));
        if (!admitted) {
            pieces.emplace_back();
            break;
        }
        pieces.push_back(bytes.substr(0, *admitted));
        bytes.erase(0, *admitted);
    }
    return pieces;
}

bool is_ended(const std::string& bytes) { return pieces_of(bytes, 8'192).back().empty(); }

}  // namespace

// Goal: what the library may get in one piece never has a command among other things.
// Method: a stream of everything, in pieces of every size.
TEST_CASE("a command reaches the library by itself", "[net][guard]") {
    const std::string large(300, 'x');
    const std::string stream = greeting() + ready("DEALER") + frame("a", more) + frame("b") +
                               ping() + ping() + frame(large) + ping() + frame("") + frame("c");
    for (std::size_t size = 1; size < stream.size(); ++size) {
        std::string all;
        for (const auto& piece : pieces_of(stream, size)) {
            CAPTURE(size, all.size());
            REQUIRE_FALSE(piece.empty());
            const auto at = piece.find("\x04PING");
            CHECK((at == std::string::npos || at <= 2));
            all += piece;
        }
        CHECK(all == stream);
    }
    CHECK(pieces_of(stream, 8'192) ==
          std::vector<std::string>{greeting(), ready("DEALER"), frame("a", more) + frame("b"),
                                   ping(), ping(), frame(large), ping(), frame("") + frame("c")});
}

// Goal: nothing that the library keeps has no bound. Method: the last that is good, and one more.
TEST_CASE("a message of too many frames and a command that is too large end the connection",
          "[net][guard]") {
    const auto begun = greeting() + ready("DEALER");
    std::string frames;
    for (std::uint32_t i = 1; i < FrameGuard::frames_of_message; ++i) {
        frames += frame("x", more);
    }
    CHECK_FALSE(is_ended(begun + frames + frame("x") + frames + frame("x")));
    CHECK(is_ended(begun + frames + frame("x", more) + frame("x")));
    CHECK_FALSE(
        is_ended(greeting() + frame(std::string(FrameGuard::bytes_of_command, 'x'), command)));
    CHECK(
        is_ended(greeting() + frame(std::string(FrameGuard::bytes_of_command + 1, 'x'), command)));
    CHECK(is_ended(greeting() + std::string{"\x06\xff\xff\xff\xff\xff\xff\xff\xff", 9}));
    CHECK(is_ended(greeting(1)));
    CHECK(is_ended("GET / HTTP/1.1\r\n"));
}

// Goal: a peer that pings and hangs up while its messages wait ends nobody.
// Method: fill the queue of a socket that does not read, ping, hang up; then read.
TEST_CASE("a ping behind messages whose sender hung up is survived", "[net][guard]") {
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 1'000, .receive_queue = 2}};
    const auto bound = router.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    std::size_t read = 0;
    for (int i = 0; i < 60; ++i) {
        RawPeer raw{*bound, "DEALER"};
        for (int count = 0; count < 50; ++count) {
            raw.say(frame("x"));
        }
        raw.say(ping() + ping());
        REQUIRE(raw.has_said_all());
        net::Envelope from;
        net::Message read_one;
        REQUIRE(turn_until(
            loop, [&] { return router.receive(from, read_one) == net::Receipt::message; }));
        raw.hang_up();
        while (router.receive(from, read_one) == net::Receipt::message) {
            ++read;
        }
    }
    CHECK(read > 0);
    net::Dealer dealer{test_context(), net::tool_dealer()};
    REQUIRE(dealer.connect(*bound));
    REQUIRE(dealer.send({"y"}) == net::SendResult::sent);
    CHECK(turn_until(loop, [&] {
        net::Envelope from;
        net::Message read_one;
        return router.receive(from, read_one) == net::Receipt::message && read_one[0] == "y";
    }));
}

// Goal: the guard is there, and not only a class. Method: a real connection offends against it.
TEST_CASE("a connection that sends frames without end is ended and counted", "[net][guard]") {
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 1'000}};
    const auto bound = router.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    const auto before = net::ended_by_guard();
    RawPeer raw{*bound, "DEALER"};
    for (std::uint32_t i = 0; i <= FrameGuard::frames_of_message; ++i) {
        raw.say(frame("x", more));
    }
    REQUIRE(raw.has_said_all());
    CHECK(turn_until(loop, [&] { return raw.was_ended(); }));
    CHECK(net::ended_by_guard() == before + 1);
}

}  // namespace muster
