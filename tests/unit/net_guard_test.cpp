#include <arpa/inet.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/catch.hpp"

#include "common/net/dealer.hpp"
#include "common/net/frame_guard.hpp"
#include "common/net/guarded.hpp"
#include "common/net/router.hpp"
#include "tests/unit/net_peers.hpp"

namespace muster {
namespace {

using net::FrameGuard;

constexpr char more = 1;
constexpr char command = 4;

std::string greeting(char revision = 3) {
    std::string bytes(64, '\0');
    bytes[0] = '\xff';
    bytes[9] = '\x7f';
    bytes[10] = revision;
    bytes.replace(12, 4, "NULL");
    return bytes;
}

std::string frame(const std::string& body, char flags = 0) {
    std::string bytes;
    if (body.size() < 256) {
        bytes = {flags, static_cast<char>(body.size())};
    } else {
        bytes = std::string{static_cast<char>(flags | 2)} + std::string(8, '\0');
        for (std::size_t i = 0; i < 8; ++i) {
            bytes[8 - i] = static_cast<char>(body.size() >> (8 * i) & 0xffU);
        }
    }
    return bytes + body;
}

std::string ready() {
    return frame(std::string{"\x05READY\x0bSocket-Type\0\0\0\x06"
                             "DEALER",
                             28},
                 command);
}
std::string ping() { return frame(std::string{"\x04PING\0\0", 7}, command); }

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

/// A peer that speaks ZMTP by itself.
class Raw {
public:
    explicit Raw(const std::string& endpoint) : fd_{socket(AF_INET, SOCK_STREAM, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port =
            htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
        REQUIRE(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    ~Raw() { hang_up(); }
    Raw(const Raw&) = delete;
    Raw& operator=(const Raw&) = delete;

    void send(const std::string& bytes) const {
        CHECK(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(bytes.size()));
    }
    /// The other side has answered the greeting and READY, and then takes messages.
    [[nodiscard]] bool shake_hands(net::Loop& loop) const {
        send(greeting() + ready());
        std::size_t heard = 0;
        return turn_until(loop, [&] {
            std::array<char, 256> into{};
            const auto got = recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
            heard += got > 0 ? static_cast<std::size_t>(got) : 0;
            return heard > greeting().size();
        });
    }
    [[nodiscard]] bool was_ended() const {
        std::array<char, 256> into{};
        ssize_t got = 1;
        while (got > 0) {
            got = recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
        }
        return got == 0 || errno == ECONNRESET;
    }
    /// With a reset.
    void hang_up() {
        const linger now{1, 0};
        setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(std::exchange(fd_, -1));
    }

private:
    int fd_;
};

}  // namespace

// Goal: what the library may get in one piece never has a command among other things.
// Method: a stream of everything, in pieces of every size.
TEST_CASE("a command reaches the library by itself", "[net][guard]") {
    const std::string large(300, 'x');
    const std::string stream = greeting() + ready() + frame("a", more) + frame("b") + ping() +
                               ping() + frame(large) + ping() + frame("") + frame("c");
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
          std::vector<std::string>{greeting(), ready(), frame("a", more) + frame("b"), ping(),
                                   ping(), frame(large), ping(), frame("") + frame("c")});
}

// Goal: nothing that the library keeps has no bound. Method: the last that is good, and one more.
TEST_CASE("a message of too many frames and a command that is too large end the connection",
          "[net][guard]") {
    const auto begun = greeting() + ready();
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
        Raw raw{*bound};
        REQUIRE(raw.shake_hands(loop));
        std::string stream;
        for (int message = 0; message < 50; ++message) {
            stream += frame("x");
        }
        raw.send(stream + ping() + ping());
        net::Envelope from;
        net::Message message;
        REQUIRE(turn_until(loop,
                           [&] { return router.receive(from, message) == net::Receipt::message; }));
        raw.hang_up();
        while (router.receive(from, message) == net::Receipt::message) {
            ++read;
        }
    }
    CHECK(read > 0);
    net::Dealer dealer{test_context(), net::tool_dealer()};
    REQUIRE(dealer.connect(*bound));
    REQUIRE(dealer.send({"y"}) == net::SendResult::sent);
    CHECK(turn_until(loop, [&] {
        net::Envelope from;
        net::Message message;
        return router.receive(from, message) == net::Receipt::message && message[0] == "y";
    }));
}

// Goal: the guard is there, and not only a class. Method: a real connection offends against it.
TEST_CASE("a connection that sends frames without end is ended and counted", "[net][guard]") {
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 1'000}};
    const auto bound = router.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    const auto before = net::ended_by_guard();
    const Raw raw{*bound};
    std::string stream = greeting() + ready();
    for (std::uint32_t i = 0; i <= FrameGuard::frames_of_message; ++i) {
        stream += frame("x", more);
    }
    raw.send(stream);
    CHECK(turn_until(loop, [&] { return raw.was_ended(); }));
    CHECK(net::ended_by_guard() == before + 1);
}

}  // namespace muster
