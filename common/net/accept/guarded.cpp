#include "common/net/accept/guarded.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/net/accept/frame_guard.hpp"

namespace {

using muster::net::FrameGuard;

struct Connection {
    std::atomic<bool> is_guarded{false};
    FrameGuard guard;
};

// By the number of the file, in blocks that stay where they are. Whoever has the file is alone with
// its entry: one thread of the library at a time, which the kernel sees to when a number that was
// closed is given out again.
constexpr std::size_t block_size = 1'024;
using Block = std::array<Connection, block_size>;
std::array<std::atomic<Block*>, 1'024> blocks{};
std::atomic<std::uint64_t> count_ended{0};

Connection* connection_of(int file, bool make) {
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

ssize_t receive_by_kernel(int file, void* into, std::size_t size, int flags) {
    return syscall(SYS_recvfrom, file, into, size, flags, nullptr, nullptr);
}

ssize_t receive_guarded(FrameGuard& guard, int file, char* into, std::size_t size, int flags) {
    if (guard.unchecked() >= size) {
        const auto got = receive_by_kernel(file, into, size, flags);
        if (got > 0) {
            static_cast<void>(guard.admit({into, static_cast<std::size_t>(got)}));
        }
        return got;
    }
    const auto there = receive_by_kernel(file, into, size, flags | MSG_PEEK);
    if (there <= 0) {
        return there;
    }
    FrameGuard looks_ahead = guard;
    const auto admitted = looks_ahead.admit({into, static_cast<std::size_t>(there)});
    if (!admitted) {
        ++count_ended;
        errno = ECONNRESET;
        return -1;
    }
    const auto got = receive_by_kernel(file, into, *admitted, flags);
    if (got > 0) {
        static_cast<void>(guard.admit({into, static_cast<std::size_t>(got)}));
    }
    return got;
}

}  // namespace

// These two take the place of the C library's functions, for libzmq too.

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved.
int socket(int domain, int type, int protocol) noexcept {
    const auto file = static_cast<int>(syscall(SYS_socket, domain, type, protocol));
    if (Connection* const earlier = connection_of(file, false)) {
        earlier->is_guarded = false;
    }
    return file;
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved.
ssize_t recv(int file, void* into, std::size_t size, int flags) {
    Connection* const connection = connection_of(file, false);
    if (connection == nullptr || !connection->is_guarded || (flags & MSG_PEEK) != 0) {
        return receive_by_kernel(file, into, size, flags);
    }
    return receive_guarded(connection->guard, file, static_cast<char*>(into), size, flags);
}

namespace muster::net {

void guard_connection(int file) {
    if (Connection* const connection = connection_of(file, true)) {
        connection->guard = {};
        connection->is_guarded = true;
    }
}

std::uint64_t ended_by_guard() { return count_ended; }

}  // namespace muster::net
