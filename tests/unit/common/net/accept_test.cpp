#include "common/net/accept/accept.hpp"

#include <arpa/inet.h>
#include <array>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/catch.hpp"

#include "common/net/dealer.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/router.hpp"
#include "tests/few_files.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/unit/common/net/peers.hpp"

namespace muster {
namespace {

/// A bare connection whose descriptor is allocated in advance.
class Stranger {
public:
    explicit Stranger(const std::string& endpoint) : endpoint_{endpoint} {
        fd_ = socket(is_ipc() ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(fd_ >= 0);
    }
    ~Stranger() { close(fd_); }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;

    [[nodiscard]] bool connect() const {
        if (is_ipc()) {
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            net::ipc_path(endpoint_).copy(address.sun_path, sizeof(address.sun_path) - 1);
            return connect_to(address);
        }
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const auto port = endpoint_.substr(endpoint_.rfind(':') + 1);
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
        return connect_to(address);
    }
    /// The other side's first byte (ZMTP begins with 0xff), 0: it closed the connection, -1:
    /// nothing yet.
    [[nodiscard]] int received() const {
        std::array<char, 1> byte{};
        const auto size = recv(fd_, byte.data(), byte.size(), MSG_DONTWAIT);
        return size < 0 && errno == EAGAIN ? -1 : static_cast<int>(size == 1);
    }

private:
    [[nodiscard]] bool is_ipc() const { return !net::ipc_path(endpoint_).empty(); }
    template <class Address>
    [[nodiscard]] bool connect_to(const Address& address) const {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
        const auto* const to = reinterpret_cast<const sockaddr*>(&address);
        return ::connect(fd_, to, sizeof(address)) == 0;
    }

    std::string endpoint_;
    int fd_ = -1;
};

/// How many descriptors below 1,000 are open; counts without one.
int open_files() {
    int count = 0;
    for (int file = 0; file < 1'000; ++file) {
        count += fcntl(file, F_GETFD) >= 0 ? 1 : 0;
    }
    return count;
}

}  // namespace

// Goal: a client that uses up the descriptors of a daemon neither ends it nor makes it busy-loop,
// and existing connections are served.
// Method: use all descriptors, connect, and check both; then free them. One socket listens in both
// ways, because a closed one frees its descriptors at any time.
TEST_CASE("a connection without a free file descriptor is closed", "[net][accept]") {
    const TemporaryDirectory directory;
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 1'000}};
    const auto by_tcp = router.bind("tcp://127.0.0.1:*");
    const auto by_ipc = router.bind("ipc://" + directory.path() + "/run/x.sock");
    REQUIRE(by_tcp);
    REQUIRE(by_ipc);
    int asked = 0;
    loop.watch(router, [&](Instant) {
        net::Envelope from;
        net::Message message;
        const auto receipt = router.receive(from, message);
        asked += receipt == net::Receipt::message ? 1 : 0;
        return receipt != net::Receipt::nothing;
    });
    net::Dealer before{test_context(), net::tool_dealer()};
    REQUIRE(before.connect(*by_tcp));
    REQUIRE(before.send({"one"}) == net::SendResult::sent);
    REQUIRE(turn_until(loop, [&] { return asked == 1; }));

    const std::array<Stranger, 2> late{Stranger{*by_tcp}, Stranger{*by_ipc}};
    const std::array<Stranger, 2> later{Stranger{*by_tcp}, Stranger{*by_ipc}};
    const auto turned_away = net::turned_away();
    int closed = 0;
    bool was_served = false;
    bool had_files_left = true;
    {
        const FewFiles few;
        for (const auto& stranger : late) {
            closed += stranger.connect() &&
                              turn_until(loop, [&] { return stranger.received() >= 0; }) &&
                              stranger.received() == 0
                          ? 1
                          : 0;
        }
        was_served = before.send({"two"}) == net::SendResult::sent &&
                     turn_until(loop, [&] { return asked == 2; });
        had_files_left = FewFiles::can_open_one();
    }
    CHECK(closed == 2);
    CHECK(net::turned_away() == turned_away + 2);
    CHECK(was_served);
    CHECK_FALSE(had_files_left);
    for (const auto& stranger : later) {
        REQUIRE(stranger.connect());
        REQUIRE(turn_until(loop, [&] { return stranger.received() >= 0; }));
        CHECK(stranger.received() == 1);
    }
    CHECK(net::turned_away() == turned_away + 2);
}

// Goal: the file that is kept for such a connection comes back when another thread took its place.
// Method: a limit below all open files, so that no file can be opened even after one was closed;
// then a connection as usual; then no file is left again.
TEST_CASE("a connection is closed for want of files, also after that has failed once",
          "[net][accept]") {
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 1'000}};
    const auto endpoint = router.bind("tcp://127.0.0.1:*");
    REQUIRE(endpoint);
    loop.watch(router, [&](Instant) {
        net::Envelope from;
        net::Message message;
        return router.receive(from, message) != net::Receipt::nothing;
    });
    const std::array<Stranger, 3> strangers{Stranger{*endpoint}, Stranger{*endpoint},
                                            Stranger{*endpoint}};
    const auto is_answered = [&](const Stranger& stranger) {
        return turn_until(loop, [&] { return stranger.received() >= 0; });
    };
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit none{3, before.rlim_max};
    const int files = open_files();
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const bool has_connected = strangers[0].connect();
    const bool has_used_spare = turn_until(loop, [&] { return open_files() == files - 1; });
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    REQUIRE(has_connected);
    REQUIRE(has_used_spare);
    REQUIRE(strangers[1].connect());
    REQUIRE(is_answered(strangers[1]));
    CHECK(strangers[1].received() == 1);
    bool is_closed = false;
    {
        const FewFiles few;
        is_closed =
            strangers[2].connect() && is_answered(strangers[2]) && strangers[2].received() == 0;
    }
    CHECK(is_closed);
}

}  // namespace muster
