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

/// A program that runs under our eyes, by ptrace(2): each of its acts is seen before it is done,
/// and it can be killed before any of them. An act is a system call that changes something outside
/// of it: a file, a directory, another process, what a peer receives. What it starts is not traced.
///
/// A thread of its own traces it, since ptrace is between threads.
class Traced {
public:
    explicit Traced(const integration::Command& command);
    /// Kills it, if it still lives.
    ~Traced();
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;

    /// It is killed before its act of this number among those of a kind, or among all, counted from
    /// now on; 0: never.
    void kill_before(std::size_t act, std::string kind = "");
    void kill();
    [[nodiscard]] bool has_ended() const { return ended_; }
    /// The acts since kill_before() was called last, each by its kind: `sync journal-wal`.
    [[nodiscard]] std::vector<std::string> acts() const;

private:
    void trace(const integration::Command& command);
    void see(pid_t thread);

    std::atomic<pid_t> pid_{-1};
    std::atomic<bool> ended_{false};
    mutable std::mutex mutex_;
    std::vector<std::string> acts_;
    std::string fatal_kind_;
    std::size_t fatal_ = 0;  // Of that kind, so many are left with the fatal one.
    std::thread tracer_;     // Last: it uses what is above.
};

}  // namespace muster::faults
