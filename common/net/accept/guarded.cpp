#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/net/accept/accept.hpp"
#include "common/net/accept/frame_guard.hpp"

namespace {

using muster::net::FrameGuard;

// A mark names its connection by the kernel's cookie, which is unique in this boot. So a mark ends
// with its connection, whoever gets the number of the file next.
struct Mark {
    std::atomic<std::uint64_t> cookie{0};  // 0: none.
    FrameGuard guard;
};

// By the number of the file, in blocks that never move. Each entry has one user at a time, the
// library's thread that owns the file: the kernel gives a number out again only after it was
// closed.
constexpr std::size_t block_size = 1'024;
using Block = std::array<Mark, block_size>;
std::array<std::atomic<Block*>, 1'024> blocks{};
std::atomic<std::uint64_t> count_ended{0};

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

ssize_t receive_guarded(FrameGuard& guard, int file, char* into, std::size_t size, int flags) {
    if (guard.unchecked() < size) {
        const auto there = receive_by_kernel(file, into, size, flags | MSG_PEEK);
        if (there <= 0) {
            return there;
        }
        FrameGuard ahead = guard;
        const auto admitted = ahead.admit({into, static_cast<std::size_t>(there)});
        if (!admitted) {
            ++count_ended;
            errno = ECONNRESET;
            return -1;
        }
        size = *admitted;
    }
    const auto got = receive_by_kernel(file, into, size, flags);
    if (got > 0) {
        static_cast<void>(guard.admit({into, static_cast<std::size_t>(got)}));
    }
    return got;
}

}  // namespace

// Replaces the C library's function, for libzmq too. The library reads without flags.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved.
ssize_t recv(int file, void* into, std::size_t size, int flags) {
    Mark* const mark = (flags & (MSG_PEEK | MSG_TRUNC)) == 0 ? valid_mark_of(file) : nullptr;
    if (mark == nullptr) {
        return receive_by_kernel(file, into, size, flags);
    }
    return receive_guarded(mark->guard, file, static_cast<char*>(into), size, flags);
}

namespace muster::net {

void guard_connection(int file) {
    if (Mark* const mark = mark_of(file, true)) {
        mark->guard = {};
        mark->cookie = cookie_of(file);
    }
}

std::uint64_t ended_by_guard() { return count_ended; }

}  // namespace muster::net
