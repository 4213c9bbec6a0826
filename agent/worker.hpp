#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <sys/eventfd.h>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "agent/core/io.hpp"
#include "agent/exec/log_reader.hpp"
#include "agent/storage/journal_file.hpp"
#include "agent/storage/state_directory.hpp"
#include "common/base/ensure.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/crypto/key.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Does slow work on its own thread, in the given order, so that a disk that hangs delays no poll.
/// Only `carry_out` runs on that thread.
template <class Job, class Done>
class Worker {
public:
    using CarryOut = std::function<Done(const Job&)>;

    explicit Worker(CarryOut carry_out)
        : carry_out_{std::move(carry_out)}, news_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
        ensure(news_.is_open(), "a daemon that just started has files left");
        thread_ = std::thread{[this] { work_until_stopped(); }};
    }
    /// Waits until all submitted jobs are done.
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
    /// Jobs that were submitted and not collected.
    [[nodiscard]] std::size_t open() const { return open_; }

    /// Readable when collect() has something.
    [[nodiscard]] int fd() const { return news_.get(); }
    /// The results of the jobs that are done.
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
    std::size_t open_ = 0;  // Used only by the owner's thread.
    bool is_stopping_ = false;
    std::thread thread_;  // Last, because it uses the members above.
};

/// Writes the core's outputs, in their order. The files belong to the worker thread until the end.
class Disk {
public:
    Disk(StateDirectory& state, JournalFile& journal)
        : state_{state}, journal_{journal}, worker_{[this](const Job& job) {
              return carry_out(job);
          }} {}

    void write(AgentMemory memory) { worker_.submit(memory); }
    void write(JournalWrite changes) { worker_.submit(std::move(changes)); }
    /// A key that is to replace the one of this host.
    void write_new_key(const KeyPair& pair) { worker_.submit(pair); }
    void keep_new_key() { worker_.submit(KeepKey{}); }
    /// Measures the free space, unless a measurement is under way. Answered by DiskObserved.
    void observe();

    /// Readable when collect() has something.
    [[nodiscard]] int fd() const { return worker_.fd(); }
    /// The input for the core for each job that ended.
    [[nodiscard]] std::vector<AgentInput> collect();

private:
    struct ObserveDisk {};
    struct KeepKey {};
    using Job = std::variant<AgentMemory, JournalWrite, KeyPair, KeepKey, ObserveDisk>;

    [[nodiscard]] AgentInput carry_out(const Job& job);

    StateDirectory& state_;
    JournalFile& journal_;
    bool is_looking_ = false;         // Used only by the owner's thread.
    Worker<Job, AgentInput> worker_;  // Last, because it uses the members above.
};

/// Reads for operators from the host, on its own thread, in the given order.
class Readings {
public:
    /// `logs`: the directory of the files that shims write.
    explicit Readings(std::string logs)
        : logs_{std::move(logs)}, worker_{[this](const Reading& job) { return read(job); }} {}

    /// An answer only if too many readings wait.
    [[nodiscard]] std::vector<AgentMessage> submit(Reading reading);

    /// Readable when collect() has something.
    [[nodiscard]] int fd() const { return worker_.fd(); }
    /// The answers for the coordinator.
    [[nodiscard]] std::vector<AgentMessage> collect() { return worker_.collect(); }

private:
    [[nodiscard]] AgentMessage read(const Reading& job) const;

    LogReader logs_;
    Worker<Reading, AgentMessage> worker_;  // Last, because it uses the members above.
};

}  // namespace muster::agent
