#include <csignal>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

#include "tests/catch.hpp"

#include "common/net/dealer.hpp"
#include "common/net/host/signals.hpp"
#include "common/net/router.hpp"
#include "tests/unit/common/net/peers.hpp"

namespace muster {
namespace {

/// An eventfd that a test can make readable.
class Flag {
public:
    Flag() : fd{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} { REQUIRE(fd >= 0); }
    ~Flag() { close(fd); }
    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;

    void raise() const { REQUIRE(eventfd_write(fd, 1) == 0); }
    void lower() const {
        eventfd_t count = 0;
        static_cast<void>(eventfd_read(fd, &count));
    }

    int fd;
};

}  // namespace

TEST_CASE("a turn without events ends exactly at its deadline", "[net][loop]") {
    net::Loop loop;
    const auto deadline = net::boottime_now() + 5ms + 1ns;
    CHECK(loop.turn(deadline) >= deadline);
    const auto past = net::boottime_now() - 1h;
    CHECK(loop.turn(past) < past + 2h);
}

TEST_CASE("every handler of a turn gets the same time", "[net][loop]") {
    net::Loop loop;
    const Flag first;
    const Flag second;
    std::vector<Instant> times;
    loop.watch(first.fd, [&](Instant now) { times.push_back(now); });
    loop.watch(second.fd, [&](Instant now) { times.push_back(now); });
    first.raise();
    second.raise();
    const auto now = loop.turn(Instant::max());
    CHECK(times == std::vector{now, now});
}

// Goal: a flood on one socket does not starve the others.
// Method: queue more messages than a turn may take, and count what one turn takes.
TEST_CASE("a turn takes a bounded number of messages off a socket", "[net][loop]") {
    constexpr std::size_t flood = 2 * net::Loop::messages_per_turn + 500;
    net::Loop loop;
    net::Router router{test_context(),
                       {.message_bytes = 100, .receive_queue = static_cast<int>(flood)}};
    const auto bound = router.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    net::Dealer dealer{test_context(),
                       {.message_bytes = 100, .send_queue = static_cast<int>(flood)}};
    REQUIRE(dealer.connect(*bound));
    for (std::size_t i = 0; i < flood; ++i) {
        REQUIRE(dealer.send({"x"}) == net::SendResult::sent);
    }
    const Flag flag;
    std::size_t taken = 0;
    std::size_t most = 0;
    std::size_t in_turn = 0;
    loop.watch(router, [&](Instant) {
        net::Envelope from;
        net::Message message;
        const bool some = router.receive(from, message) != net::Receipt::nothing;
        taken += some ? 1 : 0;
        in_turn += some ? 1 : 0;
        most = std::max(most, in_turn);
        return some;
    });
    REQUIRE(turn_until(loop, [&] {
        in_turn = 0;
        return taken == flood;
    }));
    CHECK(most <= net::Loop::messages_per_turn);
}

// Goal: expensive messages do not starve the others either.
// Method: each message takes longer than a turn may; count what one turn takes.
TEST_CASE("a turn takes a bounded time for a socket", "[net][loop]") {
    constexpr std::size_t messages = 3;
    net::Loop loop;
    net::Router router{test_context(), {.message_bytes = 100}};
    const auto bound = router.bind("tcp://127.0.0.1:*");
    REQUIRE(bound);
    net::Dealer dealer{test_context(), net::tool_dealer()};
    REQUIRE(dealer.connect(*bound));
    for (std::size_t i = 0; i < messages; ++i) {
        REQUIRE(dealer.send({"x"}) == net::SendResult::sent);
    }
    std::size_t taken = 0;
    std::size_t most = 0;
    std::size_t in_turn = 0;
    loop.watch(router, [&](Instant) {
        net::Envelope from;
        net::Message message;
        if (router.receive(from, message) == net::Receipt::nothing) {
            return false;
        }
        ++taken;
        most = std::max(most, ++in_turn);
        for (const auto began = net::boottime_now();
             net::boottime_now() - began < net::Loop::time_per_turn;) {
        }
        return true;
    });
    REQUIRE(turn_until(loop, [&] {
        in_turn = 0;
        return taken == messages;
    }));
    CHECK(most == 1);
}

// Goal: a handler can end its own watch or another's.
// Method: the first of two flags removes both and watches a third.
TEST_CASE("a handler that was removed is not called any more", "[net][loop]") {
    net::Loop loop;
    const Flag first;
    const Flag second;
    const Flag third;
    std::string called;
    loop.watch(first.fd, [&](Instant) {
        called += '1';
        loop.forget(first.fd);
        loop.forget(second.fd);
        loop.watch(third.fd, [&](Instant) {
            called += '3';
            third.lower();
        });
    });
    loop.watch(second.fd, [&](Instant) { called += '2'; });
    first.raise();
    second.raise();
    third.raise();
    loop.turn(Instant::max());
    CHECK(called == "1");
    loop.turn(Instant::max());
    CHECK(called == "13");
}

TEST_CASE("a signal is an event of a turn", "[net][signals]") {
    net::Signals signals{SIGUSR2};
    net::Loop loop;
    std::vector<int> seen;
    loop.watch(signals.fd(), [&](Instant) {
        while (const auto number = signals.take()) {
            seen.push_back(*number);
        }
    });
    REQUIRE(kill(getpid(), SIGUSR2) == 0);
    loop.turn(Instant::max());
    CHECK(seen == std::vector{SIGUSR2});
}

}  // namespace muster
