#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

#include "tests/integration/support/process.hpp"

namespace muster::faults {

/// A program under ptrace(2), which can be killed before any of its acts. An act is a system call
/// that changes something outside of the process: a file, a directory, another process, or what a
/// peer receives. Programs that it starts are not traced.
///
/// A dedicated thread traces it, because ptrace binds a tracee to a thread.
class Traced {
public:
    explicit Traced(const integration::Command& command);
    /// Kills the process if it is still alive.
    ~Traced();
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;

    /// The process is killed before this act among those of one kind, or among all, counted from
    /// now; 0: never.
    void kill_before(std::size_t act, std::string kind = "");
    void kill();
    [[nodiscard]] bool has_ended() const { return ended_; }
    /// The kinds of the acts since the last kill_before(), for example `sync journal-wal`.
    [[nodiscard]] std::vector<std::string> acts() const;

private:
    void trace(const integration::Command& command);
    void on_stop(pid_t thread);

    std::atomic<pid_t> pid_{-1};
    std::atomic<bool> ended_{false};
    mutable std::mutex mutex_;
    std::vector<std::string> acts_;
    std::string fatal_kind_;
    std::size_t fatal_ = 0;  // The number of acts of that kind up to the fatal one.
    std::thread tracer_;     // Last: it uses the members above.
};

}  // namespace muster::faults
