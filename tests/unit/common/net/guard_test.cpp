#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/file_descriptor.hpp"
#include "common/net/accept/accept.hpp"
#include "common/net/accept/frame_guard.hpp"
#include "common/net/dealer.hpp"
#include "common/net/router.hpp"
#include "tests/unit/common/net/peers.hpp"
#include "tests/unit/common/net/raw_peer.hpp"

namespace muster {
namespace {

using net::FrameGuard;
using namespace zmtp;

/// The pieces in which the guard admits the bytes, each of at most this size. A last empty piece
/// means that the connection was ended.
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

using Pair = std::array<FileDescriptor, 2>;

Pair socket_pair(int type) {
    std::array<int, 2> both{};
    REQUIRE(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, both.data()) == 0);
    return {FileDescriptor{both[0]}, FileDescriptor{both[1]}};
}

/// Listens at a free address.
class Listener {
public:
    Listener() : file_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        address_.sun_family = AF_UNIX;
        REQUIRE(bind(file_.get(), address(), sizeof(sa_family_t)) == 0);
        REQUIRE(listen(file_.get(), 4) == 0);
        size_ = sizeof address_;
        REQUIRE(getsockname(file_.get(), address(), &size_) == 0);
    }
    [[nodiscard]] FileDescriptor connect() {
        FileDescriptor file{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        REQUIRE(::connect(file.get(), address(), size_) == 0);
        return file;
    }
    [[nodiscard]] int get() const { return file_.get(); }

private:
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
    [[nodiscard]] sockaddr* address() { return reinterpret_cast<sockaddr*>(&address_); }

    FileDescriptor file_;
    sockaddr_un address_{};
    socklen_t size_ = 0;
};

/// A descriptor received in a message. Its number is not the test's choice.
FileDescriptor sent_over(const Pair& link, int file) {
    char byte = 'x';
    iovec bytes{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    cmsghdr* const files = CMSG_FIRSTHDR(&message);
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    files->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(files), &file, sizeof file);
    REQUIRE(sendmsg(link[0].get(), &message, MSG_NOSIGNAL) == 1);
    REQUIRE(recvmsg(link[1].get(), &message, MSG_CMSG_CLOEXEC) == 1);
    int received = -1;
    std::memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
    return FileDescriptor{received};
}

bool is_ended(const std::string& bytes) { return pieces_of(bytes, 8'192).back().empty(); }

}  // namespace

// Goal: the library never gets a command together with other data.
// Method: a stream of everything, in pieces of every size.
TEST_CASE("a command reaches the library alone", "[net][guard]") {
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

// Goal: everything that the library stores is bounded. Method: the last valid value, and one more.
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

// Goal: a peer that pings and disconnects while its messages wait does not end the process.
// Method: fill the queue of a socket that does not read, ping, disconnect; then read.
TEST_CASE("a ping after messages whose sender disconnected is survived", "[net][guard]") {
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 1'000, .receive_queue = 2}};
    const auto bound = router.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    std::size_t read = 0;
    for (int i = 0; i < 60; ++i) {
        RawPeer raw{*bound, "DEALER"};
        for (int count = 0; count < 50; ++count) {
            raw.send(frame("x"));
        }
        raw.send(ping() + ping());
        REQUIRE(raw.has_sent_all());
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

// Goal: the guard is in use. Method: a real connection violates it.
TEST_CASE("a connection that sends frames without end is ended and counted", "[net][guard]") {
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 1'000}};
    const auto bound = router.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    const auto before = net::ended_by_guard();
    RawPeer raw{*bound, "DEALER"};
    for (std::uint32_t i = 0; i <= FrameGuard::frames_of_message; ++i) {
        raw.send(frame("x", more));
    }
    REQUIRE(raw.has_sent_all());
    CHECK(turn_until(loop, [&] { return raw.was_ended(); }));
    CHECK(net::ended_by_guard() == before + 1);
}

// Goal: a message which the library keeps of a closed connection has not the number of another one.
// Method: accept and close. What the kernel gives out is the least free number.
TEST_CASE("the number of a connection is not that of the one that was closed before it",
          "[net][guard]") {
    Listener listener;
    const auto accepted = [&] {
        const FileDescriptor client = listener.connect();
        return FileDescriptor{accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    };
    FileDescriptor first = accepted();
    const net::Connection of_first = net::connection_of(first.get());
    first.reset();
    const FileDescriptor second = accepted();
    REQUIRE(second.get() >= 0);
    CHECK(second.get() != of_first.file);
    CHECK(net::connection_of(of_first.file) == of_first);
    CHECK(net::connection_of(second.get()).cookie != of_first.cookie);
    CHECK((fcntl(second.get(), F_GETFD) & FD_CLOEXEC) != 0);
    net::end_connection(of_first);  // It has ended, and harms no other.
    CHECK(recv(second.get(), nullptr, 0, MSG_DONTWAIT | MSG_PEEK) <= 0);
}

// Goal: an ordinary client's closed connection harms no other descriptor of this process.
// Method: close connections after the library accepted them, and reuse their numbers in every
// possible way. Messages of another protocol arrive whole, and none is taken for a violation.
TEST_CASE("a guard does not touch a descriptor that reuses the number of its connection",
          "[net][guard]") {
    enum class Way { socketpair, accept, dup, inherited };
    const Way way = GENERATE(Way::socketpair, Way::accept, Way::dup, Way::inherited);
    CAPTURE(static_cast<int>(way));
    Listener listener;
    const Pair other = socket_pair(SOCK_SEQPACKET);
    const Pair carrier = socket_pair(SOCK_STREAM);
    const FileDescriptor third = listener.connect();
    FileDescriptor client = listener.connect();
    // The first connection is accepted first, not by the library's call.
    FileDescriptor first{accept(listener.get(), nullptr, nullptr)};
    FileDescriptor guarded{accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    const int number = guarded.get();
    REQUIRE(number >= 0);
    const auto offences = net::ended_by_guard();
    const FileDescriptor late = listener.connect();
    guarded.reset();

    Pair fresh;
    FileDescriptor file;
    int sender = other[0].get();
    switch (way) {
        case Way::socketpair:
            fresh = socket_pair(SOCK_SEQPACKET);
            file = std::move(fresh[0]);
            sender = fresh[1].get();
            break;
        case Way::accept:
            file = FileDescriptor{accept(listener.get(), nullptr, nullptr)};
            sender = late.get();
            break;
        case Way::dup: file = FileDescriptor{dup(other[1].get())}; break;
        case Way::inherited: file = sent_over(carrier, other[1].get()); break;
    }
    file = FileDescriptor{dup2(file.get(), number)};  // Numbers of connections are not the least.
    REQUIRE(file.get() == number);
    // The second would be cut, and the last ended.
    for (const std::string& message : {std::string{"\xff whole"}, greeting() + ping() + "rest",
                                       std::string{"x"} + ping() + "rest"}) {
        REQUIRE(send(sender, message.data(), message.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(message.size()));
        std::array<char, 256> into{};
        const auto size = recv(file.get(), into.data(), into.size(), MSG_DONTWAIT);
        CHECK(std::string{into.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))} ==
              message);
    }
    CHECK(net::ended_by_guard() == offences);
}

}  // namespace muster
