#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "common/base/time.hpp"
#include "common/net/socket.hpp"

namespace muster::net {

/// Waits for sockets, files and deadlines in one thread:
///
///     while (running) {
///         const Instant now = loop.turn(core.next_deadline());   // calls what is ready
///         ...
///     }
///
/// A turn has one frozen `now`, read when the wait ends. Each socket is drained, up to
/// `messages_per_turn` messages and for `time_per_turn`, so that neither a flood nor expensive
/// requests starve the others or the deadlines. Ready handlers run in the order of watch(). Many
/// pidfds fit best into one epoll file.
class Loop {
public:
    static constexpr std::size_t messages_per_turn = 1'000;
    static constexpr Duration time_per_turn = 4ms;

    /// Takes one message off its socket. False: the socket is empty.
    using Receive = std::function<bool(Instant now)>;
    using Ready = std::function<void(Instant now)>;

    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// Both must outlive the loop, or be forgotten. A handler may call it, too.
    void watch(const Socket& socket, Receive receive);
    void watch(int fd, Ready ready);
    void forget(const Socket& socket);
    void forget(int fd);

    /// One turn. Returns its `now`, which is past `deadline` if nothing came earlier.
    Instant turn(Instant deadline);

private:
    struct Watch;
    void wait_until(Instant deadline);
    void call(Watch& watch, Instant now);

    std::vector<std::unique_ptr<Watch>> watches_;
    struct Items;
    std::unique_ptr<Items> items_;
};

}  // namespace muster::net
