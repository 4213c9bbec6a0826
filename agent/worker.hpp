#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <sys/eventfd.h>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/ensure.hpp"
#include "common/base/file_descriptor.hpp"

namespace muster::agent {

/// Does what may take long on a thread of its own, in the order given: a disk that hangs keeps no
/// poll waiting. All but the function given runs on the thread that owns it.
template <class Job, class Done>
class Worker {
public:
    using CarryOut = std::function<Done(const Job&)>;

    explicit Worker(CarryOut carry_out)
        : carry_out_{std::move(carry_out)}, news_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
        ensure(news_.is_open(), "a daemon that just started has files left");
        thread_ = std::thread{[this] { work_until_stopped(); }};
    }
    /// Waits for what is to be done.
    ~Worker() {
        {
            const std::lock_guard lock{mutex_};
            is_stopping_ = true;
        }
        work_.notify_one();
        thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void submit(Job job) {
        {
            const std::lock_guard lock{mutex_};
            jobs_.push_back(std::move(job));
            ++open_;
        }
        work_.notify_one();
    }
    /// Jobs submitted and not collected.
    [[nodiscard]] std::size_t open() const { return open_; }

    /// Readable when collect() has something.
    [[nodiscard]] int fd() const { return news_.get(); }
    /// What came of each job that is done.
    [[nodiscard]] std::vector<Done> collect() {
        eventfd_t count = 0;
        eventfd_read(news_.get(), &count);
        const std::lock_guard lock{mutex_};
        open_ -= done_.size();
        return std::exchange(done_, {});
    }

private:
    void work_until_stopped() {
        while (true) {
            std::vector<Job> jobs;
            {
                std::unique_lock lock{mutex_};
                work_.wait(lock, [this] { return !jobs_.empty() || is_stopping_; });
                if (jobs_.empty()) {
                    return;
                }
                jobs = std::exchange(jobs_, {});
            }
            for (const Job& job : jobs) {
                Done done = carry_out_(job);
                const std::lock_guard lock{mutex_};
                done_.push_back(std::move(done));
                eventfd_write(news_.get(), 1);
            }
        }
    }

    CarryOut carry_out_;
    FileDescriptor news_;  // eventfd.
    std::mutex mutex_;
    std::condition_variable work_;
    std::vector<Job> jobs_;
    std::vector<Done> done_;
    std::size_t open_ = 0;  // Of the owner's thread.
    bool is_stopping_ = false;
    std::thread thread_;  // Last: it uses what is above.
};

}  // namespace muster::agent
