#include "common/net/accept/accept.hpp"

#include <arpa/inet.h>
#include <array>
#include <poll.h>
#include <string>
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

}  // namespace muster
