#include "coordinator/store/write_queue.hpp"

#include <chrono>
#include <sys/eventfd.h>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

WriteQueue::WriteQueue() : news_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    ensure(news_.is_open(), "a daemon that just started has files left");
}

WriteQueue::~WriteQueue() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    work_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void WriteQueue::start(Commit commit) {
    ensure(!is_started(), "a queue is started once");
    commit_ = std::move(commit);
    thread_ = std::thread{[this] { commit_until_stopped(); }};
}

void WriteQueue::submit(Persist persist) {
    {
        const std::lock_guard lock{mutex_};
        queue_.push_back(std::move(persist));
    }
    work_.notify_one();
}

std::optional<std::uint64_t> WriteQueue::take_durable() {
    eventfd_t count = 0;
    static_cast<void>(eventfd_read(news_.get(), &count));
    const std::lock_guard lock{mutex_};
    if (durable_ == announced_) {
        return std::nullopt;
    }
    announced_ = durable_;
    return durable_;
}

std::optional<std::string> WriteQueue::failure() {
    const std::lock_guard lock{mutex_};
    return failure_;
}

bool WriteQueue::pause(Duration time) {
    std::unique_lock lock{mutex_};
    return work_.wait_for(lock, std::chrono::nanoseconds{time}, [&] { return stopping_; });
}

void WriteQueue::commit_until_stopped() {
    std::vector<Persist> group;
    while (true) {
        {
            std::unique_lock lock{mutex_};
            work_.wait(lock, [&] {
                group = take_whole(queue_);
                return !group.empty() || stopping_;
            });
            if (group.empty()) {
                return;
            }
            if (failure_) {
                continue;
            }
        }
        note(commit_(group), group.back().number);
    }
}

void WriteQueue::note(const Result<void>& done, std::uint64_t number) {
    {
        const std::lock_guard lock{mutex_};
        if (done) {
            durable_ = number;
        } else {
            failure_ = done.error().detail;
        }
    }
    ensure(eventfd_write(news_.get(), 1) == 0, "an event can be written");
}

}  // namespace muster::coordinator
