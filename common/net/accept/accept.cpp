#include "common/net/accept/accept.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

// Closed when needed, so that a file is left for a connection that is to be refused.
std::atomic<int> spare{-1};
std::atomic<std::uint64_t> count_turned_away{0};

void hold_spare() {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int none = -1;
    if (file >= 0 && !spare.compare_exchange_strong(none, file)) {
        close(file);  // Another thread was first.
    }
}

// Below are files that are always open. Each number costs a tenth of a kilobyte.
constexpr int first_number = 64;
constexpr int last_number = 16'384;
std::atomic<int> next_number{first_number};

/// The connection under the next number, or under its own if there is none left.
int renumbered(int accepted, int flags) {
    const int from = next_number;
    const int file = fcntl(accepted, (flags & SOCK_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD, from);
    next_number = file < 0 || file >= last_number ? first_number : file + 1;
    if (file < 0) {
        return accepted;
    }
    close(accepted);
    return file;
}

int accept_by_kernel(int listener, sockaddr* address, socklen_t* size, int flags) {
    return static_cast<int>(syscall(SYS_accept4, listener, address, size, flags));
}

}  // namespace

// Replaces the C library's function, for libzmq too. Several I/O threads may be here at once.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved.
int accept4(int listener, sockaddr* address, socklen_t* size, int flags) {
    int accepted = accept_by_kernel(listener, address, size, flags);
    if (accepted >= 0) {
        accepted = renumbered(accepted, flags);
        muster::net::guard_connection(accepted);
        if (spare < 0) {
            hold_spare();  // Another thread took its place when it was used last.
        }
        return accepted;
    }
    if (errno != EMFILE && errno != ENFILE) {
        return accepted;
    }
    if (const int file = spare.exchange(-1); file >= 0) {
        close(file);
        if (const int stranger = accept_by_kernel(listener, address, size, flags); stranger >= 0) {
            close(stranger);
            ++count_turned_away;
        }
    }
    hold_spare();
    errno = ECONNABORTED;
    return -1;
}

namespace muster::net {

void close_when_out_of_files() {
    if (spare < 0) {
        hold_spare();
    }
}

std::uint64_t turned_away() { return count_turned_away; }

}  // namespace muster::net
