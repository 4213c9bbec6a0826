#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/exec/launch/launcher.hpp"
#include "agent/exec/orphan_reaper.hpp"
#include "agent/exec/shims/shim_link.hpp"
#include "common/base/file_descriptor.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::agent {

using ProcessEvent = std::variant<ProcessStarted, ProcessNotStarted, ProcessEnded>;

/// Carries out the core's orders on real processes, and tells what becomes of them.
///
///     spawn, end, renew, release  ->  shims  ->  processes;  collect() when fd() is readable
///
/// A process is its whole tree, below a shim of its own that outlives this agent: whoever comes
/// next finds it by its socket and adopts it. Where the shim was killed, what is left of the tree
/// is killed, too, since nobody could tell how it ends.
///
/// What it destroys are links; tasks run on.
///
/// Thread: the one that made it. One per process: children of it are reaped by the kernel.
class Executor {
public:
    explicit Executor(LauncherOptions options);
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    [[nodiscard]] Result<void> open();

    /// Connects to all shims of earlier lives, and returns those that the journal does not know.
    /// What became of the journal's processes is told by collect(): those that run on and were
    /// running, nothing. Waits for shims, at most `patience` in all.
    [[nodiscard]] std::vector<FoundProcess> adopt(Instant now, const JournalImage& journal,
                                                  Duration patience);

    /// The highest number of all that was left, running or only to be removed: a process that had
    /// the number of one that is being removed would be taken for it.
    [[nodiscard]] ProcessId last_left() const { return last_left_; }

    /// Which limits of tasks this host keeps, once it is open.
    [[nodiscard]] const std::vector<LimitFact>& limits() const {
        return launcher_.cgroups().facts();
    }

    void spawn(const Spawn& order);
    /// Has the shim tell its state again, by a new link. What it was told by the old one and has
    /// not read yet is lost, so what it is to do is to be ordered again.
    void ask(Instant now, const Ask& order);
    void end(const End& order);
    void renew(const Renewal& order);
    /// To the process group, if the process runs.
    void signal(ProcessId process, int number);
    void release(const Release& order);
    /// The instance is no more: what is kept of it on disk is bounded from now on.
    void forget(const InstanceId& id) { launcher_.forget(id); }

    /// Readable when collect() has something to do.
    [[nodiscard]] int fd() const { return ready_.get(); }
    /// What happened since the last call, in order.
    [[nodiscard]] std::vector<ProcessEvent> collect(Instant now);
    /// The processes of which something was known only when their shim was asked again, since the
    /// last call.
    [[nodiscard]] std::vector<ProcessId> take_mended() { return std::exchange(mended_, {}); }
    /// When collect() is to be called even if fd() is not readable.
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return events_.empty() ? orphans_->next_deadline() : Instant{};
    }

    /// The last state of the shim of a process; null: it has none.
    [[nodiscard]] const ShimState* state_of(ProcessId process) const;

private:
    struct Tree {
        ShimLink link;
        ShimState state;
        std::string program;
        bool is_started = false;  // It was told that it runs,
        bool is_ended = false;    // or that it does no more, or never did.
        bool is_left = false;     // By an earlier life, without a shim.
        bool is_asked = false;    // Its shim, which has not answered yet.
    };
    using Entry = std::map<ProcessId, Tree>::value_type;

    [[nodiscard]] bool starts_to_watch(ProcessId process, const ShimLink& link) const;
    Tree& watch(ProcessId process, ShimLink link);
    void connect_all(const std::set<ProcessId>& processes);
    void listen_to_all(Duration patience);
    void take_over(Instant now, const InstanceImage& image);
    bool receive(Instant now, Entry& entry);
    bool ask_again(Entry& entry);
    void tell(Entry& entry);
    void emit_gone(ProcessId process);

    Launcher launcher_;
    std::optional<OrphanReaper> orphans_;
    FileDescriptor ready_;  // epoll: the links to all shims.
    std::map<ProcessId, Tree> trees_;
    ProcessId last_left_{};
    std::vector<ProcessEvent> events_;
    std::vector<ProcessId> mended_;
};

}  // namespace muster::agent
