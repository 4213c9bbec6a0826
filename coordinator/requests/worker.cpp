#include "coordinator/requests/worker.hpp"

#include <sys/eventfd.h>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

Worker::Worker() : news_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    ensure(news_.is_open(), "a daemon that just started has files left");
    thread_ = std::thread{[this] { work(); }};
}

Worker::~Worker() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Worker::submit(Job job) {
    ++pending_;
    {
        const std::lock_guard lock{mutex_};
        jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
}

void Worker::discard(std::shared_ptr<const void> value) {
    submit([value = std::move(value)] { return Then{}; });
}

void Worker::finish(Instant now) {
    eventfd_t ignored = 0;
    static_cast<void>(eventfd_read(news_.get(), &ignored));
    std::vector<Then> done;
    {
        const std::lock_guard lock{mutex_};
        done.swap(done_);
    }
    pending_ -= done.size();
    for (const Then& then : done) {
        if (then) {
            then(now);
        }
    }
}

void Worker::finish_all(Instant now) {
    while (pending_ > 0) {
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return !done_.empty(); });
        }
        finish(now);
    }
}

void Worker::work() {
    std::unique_lock lock{mutex_};
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) {
            return;
        }
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        Then then = job();
        job = nullptr;
        lock.lock();
        done_.push_back(std::move(then));
        eventfd_write(news_.get(), 1);
        changed_.notify_all();
    }
}

}  // namespace muster::coordinator
