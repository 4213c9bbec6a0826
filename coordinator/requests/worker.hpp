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

/// A thread for what takes long and needs nothing that anybody else changes: large requests are
/// read there, large answers written, and large values given back.
///
///     submit(job) --> the thread: job() --> what follows --> finish(), in the loop's thread
///
/// Jobs are done in their order. What a job holds is destroyed in the thread.
class Worker {
public:
    using Then = std::function<void(Instant now)>;
    using Job = std::function<Then()>;

    Worker();
    /// What is not done yet is dropped.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void submit(Job job);
    /// The value is given back to memory in the thread.
    void discard(std::shared_ptr<const void> value);

    /// Readable when finish() has something to do.
    [[nodiscard]] int fd() const { return news_.get(); }
    /// Calls what follows from the jobs that are done.
    void finish(Instant now);
    /// Waits for all jobs, and finishes them.
    void finish_all(Instant now);
    /// Jobs whose end finish() has not seen.
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
