#pragma once

#include <map>
#include <optional>
#include <set>
#include <sys/types.h>
#include <variant>
#include <vector>

#include "agent/core/agent.hpp"
#include "agent/exec/launcher.hpp"
#include "common/file_descriptor.hpp"
#include "common/ids.hpp"
#include "common/result.hpp"
#include "common/time.hpp"

namespace muster {

using ProcessEvent = std::variant<ProcessStarted, ProcessNotStarted, ProcessEnded>;

/// Carries out the core's orders on real processes, and tells what becomes of them.
///
///     spawn, signal, kill  ->  processes  ->  collect() when fd() is readable
///
/// A process is its whole tree. When the main process ends, the rest of it is killed, and the end
/// is told when all is gone: the process group at once; what left the group becomes our child when
/// its parent dies, because this process is a subreaper, and is known by the mark in its
/// environment. Nothing is polled, but for the moments in which a tree is dying, and for as long as
/// somebody who traces its main process (strace, gdb) keeps the end of it from us.
///
/// Signals go only to children that were not reaped yet, so never to a stranger with their number.
///
/// Thread: the one that made it; SIGCHLD must be blocked in all. One per process.
class Executor {
public:
    explicit Executor(LauncherOptions options);
    /// Kills what still runs.
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    [[nodiscard]] Result<void> open();

    /// Ends what an earlier life of this agent left behind, and returns how many processes that
    /// were. First by SIGTERM, after `grace` by SIGKILL. Waits for their end; fails when one of
    /// them does not go.
    [[nodiscard]] Result<std::size_t> end_leftovers(Duration grace);

    void spawn(const Spawn& order, CivilMs at);
    /// To the process group.
    void signal(const Signal& order);
    void kill(const Kill& order);
    /// The instance is no more: what is kept of it on disk is bounded from now on.
    void forget(const InstanceId& id) { launcher_.forget(id); }

    /// Readable when collect() has something to do.
    [[nodiscard]] int fd() const { return ready_.get(); }
    /// What happened since the last call, in order.
    [[nodiscard]] std::vector<ProcessEvent> collect(Instant now);
    /// When collect() is to be called even if fd() is not readable.
    [[nodiscard]] std::optional<Instant> next_deadline() const;

    /// Of the main process, until it is reaped.
    [[nodiscard]] std::optional<pid_t> pid_of(ProcessId process) const;

private:
    struct Tree {
        pid_t pid = 0;  // Of the main process, its group and its session.
        FileDescriptor main;
        std::optional<ProcessEnded> ended;
    };

    struct Orphans {
        std::set<ProcessId> trees;  // That still had some.
        bool reaped = false;
        bool unclear = false;  // One is there whose tree cannot be told yet.
    };

    [[nodiscard]] std::vector<FileDescriptor> signal_leftovers(int number);
    void wait_for_mains();
    void main_ended(ProcessId process, Tree& tree);
    void reap_mains(Instant now);
    [[nodiscard]] bool is_becoming(Instant now, pid_t orphan);
    [[nodiscard]] Orphans end_orphans(Instant now);
    [[nodiscard]] std::vector<ProcessId> gone_trees(Instant now);
    void sweep(Instant now);

    Launcher launcher_;
    FileDescriptor ready_;         // epoll: the pidfds of all main processes, and SIGCHLD.
    FileDescriptor child_signal_;  // Of adopted orphans too, which have no pidfd.
    FileDescriptor spare_;         // To look into /proc: an orphan not seen would live on.
    std::map<ProcessId, Tree> trees_;
    std::map<pid_t, ProcessId> mains_;    // Not reaped yet.
    std::set<ProcessId> ended_mains_;     // Those of them that have ended.
    std::map<ProcessId, Instant> dying_;  // Their main process ended then.
    std::map<pid_t, Instant> becoming_;   // Orphans without an environment, since when.
    std::map<pid_t, ProcessId> doomed_;   // Orphans that were killed, and their trees.
    std::optional<Instant> next_sweep_;
    Duration sweep_delay_{};
    std::vector<ProcessEvent> events_;
};

}  // namespace muster
