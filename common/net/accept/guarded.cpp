#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/net/accept/accept.hpp"
#include "common/net/accept/frame_guard.hpp"
#include "common/net/accept/unreceived.hpp"
#include "common/net/host/clock.hpp"

namespace {

using muster::net::FrameGuard;
using muster::net::Unreceived;

// A mark names its connection by the kernel's cookie, which is unique in this boot. So a mark ends
// with its connection, whoever gets the number of the file next.
struct Mark {
    std::atomic<std::uint64_t> cookie{0};  // 0: none.
    std::atomic<std::uint16_t> port{0};    // Where it was accepted, if it is of a network.
    FrameGuard guard;
    Unreceived unreceived;
};

// By the number of the file, in blocks that never move. Each guard has one user at a time, the
// library's thread that owns the file: the kernel gives a number out again only after it was
// closed.
constexpr std::size_t block_size = 1'024;
using Block = std::array<Mark, block_size>;
std::array<std::atomic<Block*>, 1'024> blocks{};
std::atomic<std::uint64_t> count_ended{0};
std::atomic<std::uint64_t> count_handshakes{0};
Unreceived::All unreceived_of_all{0};

std::mutex bounds_mutex;
std::map<std::uint16_t, Unreceived::Bounds> bounds;  // By port.

// Cookies of connections whose peers hung up before all that they had sent was received.
using CookiesByFile = std::map<int, std::uint64_t>;
std::mutex hung_up_mutex;
std::map<std::uint16_t, CookiesByFile> hung_up;  // By port.
std::atomic<bool> has_hung_up{false};

Mark* mark_of(int file, bool make) {
    const auto number = static_cast<std::size_t>(file);
    if (file < 0 || number / block_size >= blocks.size()) {
        return nullptr;
    }
    auto& place = blocks[number / block_size];
    Block* block = place.load();
    if (block == nullptr && make) {
        auto fresh = std::make_unique<Block>();
        if (place.compare_exchange_strong(block, fresh.get())) {
            block = fresh.release();
        }
    }
    return block == nullptr ? nullptr : &(*block)[number % block_size];
}

// 0: it is not a socket, or the kernel is older than 4.12.
std::uint64_t cookie_of(int file) {
    std::uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    const int earlier = errno;
    if (getsockopt(file, SOL_SOCKET, SO_COOKIE, &cookie, &size) != 0) {
        errno = earlier;
        return 0;
    }
    return cookie;
}

/// Null: no mark, or the mark of a closed connection.
Mark* valid_mark_of(int file) {
    Mark* const mark = mark_of(file, false);
    if (mark == nullptr || mark->cookie == 0) {
        return nullptr;
    }
    if (mark->cookie != cookie_of(file)) {
        mark->cookie = 0;
        return nullptr;
    }
    return mark;
}

ssize_t receive_by_kernel(int file, void* into, std::size_t size, int flags) {
    return syscall(SYS_recvfrom, file, into, size, flags, nullptr, nullptr);
}

/// The file whose connection has the most unreceived. Nothing: none has any.
std::optional<int> greediest() {
    std::optional<int> found;
    std::uint64_t most = 0;
    for (std::size_t place = 0; place < blocks.size(); ++place) {
        Block* const block = blocks[place];
        for (std::size_t at = 0; block != nullptr && at < block_size; ++at) {
            if (const auto cost = (*block)[at].unreceived.cost(); cost > most) {
                most = cost;
                found = static_cast<int>(place * block_size + at);
            }
        }
    }
    return found;
}

/// Makes room by closing those connections that have the most, whichever they are: an idle one
/// keeps its memory, too.
void close_greediest() {
    while (unreceived_of_all > Unreceived::most_of_all) {
        const auto file = greediest();
        if (!file) {
            return;  // Received meanwhile.
        }
        Mark& mark = *mark_of(*file, false);
        if (mark.cookie != 0 && mark.cookie == cookie_of(*file)) {
            shutdown(*file, SHUT_RDWR);  // The thread that owns it sees its end.
            ++count_ended;
        }
        mark.unreceived.end(unreceived_of_all);
    }
}

/// The peer hung up. What came in counts until the application has received it.
void note_hang_up(int file, const Mark& mark) {
    if (mark.unreceived.cost() > 0) {
        const std::lock_guard lock{hung_up_mutex};
        hung_up[mark.port].insert_or_assign(file, mark.cookie);
        has_hung_up = true;
    }
}

bool is_bearable(Mark& mark, const FrameGuard::Arrived& arrived) {
    count_handshakes += arrived.handshakes;
    if (arrived.frames == 0) {
        return true;
    }
    const auto verdict = mark.unreceived.add(arrived, unreceived_of_all);
    if (verdict == Unreceived::Verdict::all_full) {
        close_greediest();
    }
    return verdict != Unreceived::Verdict::too_much;
}

ssize_t end_connection(Mark& mark) {
    ++count_ended;
    mark.unreceived.end(unreceived_of_all);
    errno = ECONNRESET;
    return -1;
}

/// Looks at the bytes that are there, and reads those that the library may get.
ssize_t look_and_receive(Mark& mark, int file, char* into, std::size_t size, int flags) {
    const auto there = receive_by_kernel(file, into, size, flags | MSG_PEEK);
    if (there <= 0) {
        return there;
    }
    FrameGuard ahead = mark.guard;
    const auto admitted = ahead.admit({into, static_cast<std::size_t>(there)});
    if (!admitted || !is_bearable(mark, ahead.take_arrived())) {
        return end_connection(mark);
    }
    const auto got = receive_by_kernel(file, into, *admitted, flags);
    if (got == static_cast<ssize_t>(*admitted)) {
        mark.guard = ahead;
    } else if (got > 0) {
        static_cast<void>(mark.guard.admit({into, static_cast<std::size_t>(got)}));
        static_cast<void>(mark.guard.take_arrived());
    }
    return got;
}

ssize_t receive_guarded(Mark& mark, int file, char* into, std::size_t size, int flags) {
    FrameGuard& guard = mark.guard;
    if (const auto piece = guard.next_piece(); piece > 0) {
        size = static_cast<std::size_t>(std::min<std::uint64_t>(size, piece));
    } else if (guard.unchecked() < size) {
        return look_and_receive(mark, file, into, size, flags);
    }
    const auto got = receive_by_kernel(file, into, size, flags);
    if (got > 0 && (!guard.admit({into, static_cast<std::size_t>(got)}) ||
                    !is_bearable(mark, guard.take_arrived()))) {
        return end_connection(mark);
    }
    return got;
}

Unreceived::Bounds bearable(const Unreceived::Bounds& wanted) {
    return {.all = std::min(wanted.all, Unreceived::most_bytes),
            .frame = std::min(wanted.frame, Unreceived::most_bytes)};
}

/// Where it was accepted. 0: not from a network.
std::uint16_t port_of(int file) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API asks for it.
    if (getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
        (address.ss_family != AF_INET && address.ss_family != AF_INET6)) {
        return 0;
    }
    in_port_t port = 0;  // It is at the same place in both.
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): likewise.
    std::memcpy(&port, reinterpret_cast<char*>(&address) + offsetof(sockaddr_in, sin_port),
                sizeof port);
    return ntohs(port);
}

/// The bounds of the socket that accepted it.
Unreceived::Bounds bounds_at(std::uint16_t port) {
    const std::lock_guard lock{bounds_mutex};
    const auto found = bounds.find(port);
    return found == bounds.end() ? Unreceived::Bounds{} : found->second;
}

}  // namespace

// Replaces the C library's function, for libzmq too. The library reads without flags.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved.
ssize_t recv(int file, void* into, std::size_t size, int flags) {
    Mark* const mark = (flags & (MSG_PEEK | MSG_TRUNC)) == 0 ? valid_mark_of(file) : nullptr;
    if (mark == nullptr) {
        return receive_by_kernel(file, into, size, flags);
    }
    const auto got = receive_guarded(*mark, file, static_cast<char*>(into), size, flags);
    if (got == 0) {
        note_hang_up(file, *mark);
    }
    return got;
}

namespace muster::net {

void guard_connection(int file) {
    if (Mark* const mark = mark_of(file, true)) {
        mark->guard = {};
        mark->port = port_of(file);
        mark->unreceived.begin(boottime_now(), bounds_at(mark->port), unreceived_of_all);
        mark->cookie = cookie_of(file);
    }
}

Connection connection_of(int file) {
    const Mark* const mark = mark_of(file, false);
    return mark == nullptr ? Connection{} : Connection{file, mark->cookie};
}

void end_connection(const Connection& connection) {
    const Mark* const mark = mark_of(connection.file, false);
    if (mark != nullptr && connection.cookie != 0 && mark->cookie == connection.cookie &&
        cookie_of(connection.file) == connection.cookie) {
        shutdown(connection.file, SHUT_RDWR);  // The thread that owns it sees its end.
    }
}

void bound_unreceived(std::uint16_t port, const Unreceived::Bounds& at_most) {
    const std::lock_guard lock{bounds_mutex};
    bounds.insert_or_assign(port, bearable(at_most));
}

void bound_unreceived(const Connection& connection, const Unreceived::Bounds& at_most) {
    Mark* const mark = mark_of(connection.file, false);
    if (mark != nullptr && connection.cookie != 0 && mark->cookie == connection.cookie) {
        mark->unreceived.bound(bearable(at_most));
    }
}

void on_received(int file, Instant now, const Unreceived::Amount& message) {
    if (Mark* const mark = mark_of(file, false)) {
        mark->unreceived.take_off(now, message, unreceived_of_all);
    }
}

void on_all_received(std::uint16_t port) {
    if (!has_hung_up) {
        return;
    }
    const std::lock_guard lock{hung_up_mutex};
    const auto found = hung_up.find(port);
    if (found == hung_up.end()) {
        return;
    }
    for (const auto& [file, cookie] : found->second) {
        Mark& mark = *mark_of(file, false);
        if (mark.cookie == cookie || mark.cookie == 0) {  // Else the next one has begun.
            mark.unreceived.end(unreceived_of_all);
        }
    }
    hung_up.erase(found);
    has_hung_up = !hung_up.empty();
}

std::uint64_t ended_by_guard() { return count_ended; }

std::uint64_t handshakes_begun() { return count_handshakes; }

}  // namespace muster::net
