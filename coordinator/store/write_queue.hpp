#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/file_descriptor.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The writes on their way into a store. A thread of its own commits them; those that wait together
/// are one group. After the first failure nothing is committed any more.
///
/// It is the last member of its store: its end is the end of the thread, which uses the others.
class WriteQueue {
public:
    /// Makes a group durable, or says why it is not.
    using Commit = std::function<Result<void>(const std::vector<Persist>& group)>;

    WriteQueue();
    /// Commits what was submitted.
    ~WriteQueue();
    WriteQueue(const WriteQueue&) = delete;
    WriteQueue& operator=(const WriteQueue&) = delete;

    void start(Commit commit);
    [[nodiscard]] bool is_started() const { return thread_.joinable(); }

    // As Store has them.
    void submit(Persist persist);
    [[nodiscard]] int fd() const { return news_.get(); }
    [[nodiscard]] std::optional<std::uint64_t> take_durable();
    [[nodiscard]] std::optional<std::string> failure();

    /// For a commit that will try again: waits so long. True: the store is being closed.
    [[nodiscard]] bool pause(Duration time);

private:
    void commit_until_stopped();
    void note(const Result<void>& done, std::uint64_t number);

    Commit commit_;
    FileDescriptor news_;

    std::mutex mutex_;  ///< Guards what follows.
    std::condition_variable work_;
    std::vector<Persist> queue_;
    std::uint64_t durable_ = 0;
    std::uint64_t announced_ = 0;
    std::optional<std::string> failure_;
    bool stopping_ = false;

    std::thread thread_;
};

}  // namespace muster::coordinator
