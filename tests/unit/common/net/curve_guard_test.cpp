// What a peer with a key sends, whose frames the guard cannot read.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/accept/accept.hpp"
#include "common/net/accept/frame_guard.hpp"
#include "tests/unit/common/net/curve_peer.hpp"
#include "tests/unit/common/net/keys.hpp"

namespace muster {
namespace {

using namespace zmtp;
using net::FrameGuard;

/// An encrypted frame. The guard knows only its size.
std::string encrypted(std::size_t size) { return frame(std::string(size, 'x')); }
/// The head of a frame.
std::string frame_begun(std::size_t size) {
    std::string head{'\2', '\0', '\0', '\0', '\0'};
    for (int shift = 24; shift >= 0; shift -= 8) {
        head += static_cast<char>(size >> static_cast<unsigned>(shift) & 0xffU);
    }
    return head;
}
std::string begun() {
    return greeting(3, "CURVE") + frame(std::string(200, 'h'), command) +
           frame(std::string(300, 'i'), command);
}

/// Reads as the library does, at most so much at a time.
struct GuardedReads {
    std::vector<std::string> pieces;
    std::size_t looks = 0;
    FrameGuard::Arrived arrived;

    GuardedReads(std::string bytes, std::size_t at_most) {
        FrameGuard guard;
        while (!bytes.empty()) {
            auto size = std::min(at_most, bytes.size());
            if (const auto piece = guard.next_piece(); piece > 0) {
                size = std::min<std::size_t>(size, piece);
                REQUIRE(guard.admit(std::string_view{bytes}.substr(0, size)) == size);
            } else {
                ++looks;
                const auto admitted = guard.admit(std::string_view{bytes}.substr(0, size));
                REQUIRE(admitted);
                size = *admitted;
            }
            pieces.push_back(bytes.substr(0, size));
            bytes.erase(0, size);
            const auto now = guard.take_arrived();
            arrived.frames += now.frames;
            arrived.bytes += now.bytes;
        }
    }
};

bool is_begun_badly(const std::string& bytes) {
    FrameGuard guard;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto admitted = guard.admit(std::string_view{bytes}.substr(at));
        if (!admitted) {
            return true;
        }
        at += *admitted;
    }
    return false;
}

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

// Goal: no encrypted frame waits in the library's buffer behind others, for it may be a command.
// Method: a stream of frames, in pieces of every size.
TEST_CASE("an encrypted frame reaches the library alone", "[net][guard][security]") {
    const std::vector<std::string> frames{encrypted(0),   encrypted(38), encrypted(300),
                                          encrypted(255), encrypted(40), encrypted(64)};
    std::string stream = begun();
    std::vector<std::size_t> ends;
    for (const auto& one : frames) {
        ends.push_back(stream.size());
        stream += one;
    }
    for (std::size_t size = 1; size < stream.size(); ++size) {
        const GuardedReads reads{stream, size};
        std::string all;
        for (const auto& piece : reads.pieces) {
            const auto from = all.size();
            all += piece;
            for (const auto end : ends) {
                CAPTURE(size, from, end);
                CHECK((end <= from || end >= all.size()));
            }
        }
        CHECK(all == stream);
        CHECK(reads.arrived.frames == frames.size());
        CHECK(reads.arrived.bytes == 300 + 255);
    }
}

// Goal: a message of two frames costs one look.
TEST_CASE("an encrypted frame whose size was seen is read without a look",
          "[net][guard][security]") {
    const std::string base = begun() + encrypted(40);
    const auto looks_at = [&](const std::string& bytes) {
        return GuardedReads{base + bytes, 8'192}.looks - GuardedReads{base, 8'192}.looks;
    };
    CHECK(looks_at(encrypted(40) + encrypted(80)) == 1);
    CHECK(looks_at(encrypted(40) + encrypted(80) + encrypted(40) + encrypted(80)) == 2);
    CHECK(looks_at(encrypted(40) + encrypted(200'000)) == 1);
    // Its head is not there.
    CHECK(looks_at(encrypted(8'182) + encrypted(80)) == 2);
}

// Goal: what a stranger makes the library keep is small. Method: the last valid size and one more,
// with and without the flag of a command, which the library does not look at.
TEST_CASE("a command of a handshake that is too large ends the connection",
          "[net][guard][security]") {
    const char flags = GENERATE(char{0}, command);
    const auto largest = frame(std::string(FrameGuard::bytes_of_command, 'x'), flags);
    const auto larger = frame(std::string(FrameGuard::bytes_of_command + 1, 'x'), flags);
    const auto start = greeting(3, "CURVE");
    CHECK_FALSE(is_begun_badly(start + largest + largest));
    CHECK(is_begun_badly(start + larger));
    CHECK(is_begun_badly(start + largest + larger));
    CHECK_FALSE(is_begun_badly(start + largest + largest + larger));
    // Of other mechanisms nothing is encrypted.
    CHECK(is_begun_badly(greeting(3, "CURVY") + frame(std::string(200, 'x'), command) +
                         frame(std::string(200, 'x'), command) +
                         frame(std::string(FrameGuard::bytes_of_command + 1, 'x'), command)));
}

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
        raw.send(raw.sealed_ping());
        raw.send(raw.sealed_ping());
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

// Goal: likewise with long frames. Method: few of them, below the bound of their number.
TEST_CASE("an encrypted connection with too many bytes of a message is ended",
          "[net][guard][security]") {
    Admitted scene{{.message_bytes = 1'000, .receive_queue = 2}};
    const auto before = net::ended_by_guard();
    CurvePeer raw{scene.router.endpoint, scene.router.for_client(scene.agent)};
    REQUIRE(raw.is_admitted());
    for (int i = 0; i < 10; ++i) {
        raw.send(raw.sealed(std::string(900, 'x'), more));
    }
    CHECK(turn_until(scene.loop, [&] {
        static_cast<void>(raw.has_sent_all());
        return raw.was_ended();
    }));
    CHECK(net::ended_by_guard() == before + 1);
}

// Goal: who sends a lot is not taken for one who sends without end.
// Method: more frames and bytes than may wait, in messages that are received.
TEST_CASE("an agent may send any number of messages that are received", "[net][guard][security]") {
    Admitted scene{{.message_bytes = 1'000, .receive_queue = 2}};
    const auto before = net::ended_by_guard();
    CurvePeer raw{scene.router.endpoint, scene.router.for_client(scene.agent)};
    REQUIRE(raw.is_admitted());
    constexpr std::size_t messages = net::Unreceived::most_frames;
    std::size_t sent = 0;
    CHECK(turn_until(scene.loop, [&] {
        for (int i = 0; i < 100 && sent < messages && raw.has_sent_all(); ++i, ++sent) {
            raw.send(raw.sealed("version", more));
            raw.send(raw.sealed(std::string(100, 'x')));
        }
        static_cast<void>(raw.has_sent_all());
        return scene.router.messages == messages || raw.was_ended();
    }));
    CHECK(scene.router.messages == messages);
    CHECK(net::ended_by_guard() == before);
}

// Goal: one key with many connections cannot fill the memory.
// Method: long frames that are only begun, and keep their bytes as if they were there; then an
// honest message. The library reserves address space for them, and no memory.
TEST_CASE("when too much waits on all connections, the one with the most is ended",
          "[net][guard][security]") {
    constexpr std::size_t megabyte = 1'000'000;
    Admitted scene{{.message_bytes = 60 * megabyte}};
    const auto before = net::ended_by_guard();
    std::vector<std::unique_ptr<CurvePeer>> greedy;
    for (std::size_t i = 0; i < 10; ++i) {
        greedy.push_back(std::make_unique<CurvePeer>(scene.router.endpoint,
                                                     scene.router.for_client(scene.agent)));
        REQUIRE(greedy.back()->is_admitted());
        greedy.back()->send(frame_begun(i == 4 ? 60 * megabyte : 59 * megabyte));
        REQUIRE(greedy.back()->has_sent_all());
    }
    REQUIRE(turn_until(scene.loop, [&] { return greedy[4]->was_ended(); }));
    // The guard counts a connection after it has closed it.
    CHECK(turn_until(scene.loop, [&] { return net::ended_by_guard() == before + 1; }));
    const KeyedDealer honest{scene.router.endpoint, scene.router.for_client(scene.agent)};
    CHECK(turn_until(scene.loop, [&] { return scene.router.messages == 1; }));
    CHECK_FALSE(greedy[3]->was_ended());
}

}  // namespace muster
