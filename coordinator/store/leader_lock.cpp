#include "coordinator/store/leader_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <thread>

#include "common/base/ensure.hpp"
#include "common/base/file_descriptor.hpp"

namespace muster::coordinator {

struct LeaderLock::Claim {
    FileDescriptor file;
    FileDescriptor news;

    void won() const { ensure(eventfd_write(news.get(), 1) == 0, "an event can be written"); }
};

Result<LeaderLock> LeaderLock::ask(const std::string& path) {
    auto claim = std::make_shared<Claim>();
    claim->file = FileDescriptor{open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    claim->news = FileDescriptor{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!claim->file.is_open() || !claim->news.is_open()) {
        return fail(Errc::io, "the lock " + path + " cannot be opened: " + std::strerror(errno));
    }
    if (flock(claim->file.get(), LOCK_EX | LOCK_NB) == 0) {
        claim->won();
        return LeaderLock{std::move(claim)};
    }
    if (errno != EWOULDBLOCK) {
        return fail(Errc::io, "the lock " + path + " cannot be taken: " + std::strerror(errno));
    }
    // Nothing interrupts this wait but the end of the process. Whoever does not want the lock any
    // more drops its claim, and then the thread frees the lock as soon as it gets it.
    std::thread{[claim] {
        while (flock(claim->file.get(), LOCK_EX) != 0 && errno == EINTR) {
        }
        claim->won();
    }}.detach();
    return LeaderLock{std::move(claim)};
}

bool LeaderLock::take_news() {
    eventfd_t count = 0;
    return eventfd_read(claim_->news.get(), &count) == 0;
}

int LeaderLock::fd() const { return claim_->news.get(); }

}  // namespace muster::coordinator
