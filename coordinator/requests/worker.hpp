#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/base/time.hpp"

namespace muster::coordinator {

/// A thread for long work that shares no state: it decodes large requests, encodes large answers,
/// and frees large values.
///
///     submit(job) --> the thread: job() --> what follows --> finish(), in the loop's thread
///
/// Jobs run in their order. The thread destroys what a job holds.
class Worker {
public:
    using Then = std::function<void(Instant now)>;
    using Job = std::function<Then()>;

    Worker();
    /// Drops jobs that are not done yet.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void submit(Job job);
    /// Frees the value in the thread.
    void discard(std::shared_ptr<const void> value);

    /// Readable when finish() has something to do.
    [[nodiscard]] int fd() const { return news_.get(); }
    /// Calls the continuations of finished jobs.
    void finish(Instant now);
    /// Waits for all jobs, and calls their continuations.
    void finish_all(Instant now);
    /// Jobs whose continuation finish() has not called.
    [[nodiscard]] std::size_t pending() const { return pending_; }

private:
    void work();

    FileDescriptor news_;
    std::size_t pending_ = 0;

    std::mutex mutex_;  ///< Guards what follows.
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    std::vector<Then> done_;
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace muster::coordinator
