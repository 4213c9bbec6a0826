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

/// Carries out the core's orders on real processes, and reports their starts and ends.
///
///     spawn, end, renew, release  ->  shims  ->  processes;  collect() when fd() is readable
///
/// A process is a whole tree below its own shim, which outlives this agent. The next agent finds
/// the process by the socket of the shim and adopts it. If the shim was killed, the rest of the
/// tree is killed, too, because nobody could report how it ends.
///
/// The destructor closes links; tasks keep running.
///
/// Thread: the one that made it. One per process: the kernel reaps its children.
class Executor {
public:
    explicit Executor(LauncherOptions options);
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    [[nodiscard]] Result<void> open();

    /// Connects to all shims of earlier lives, and returns the processes that the journal does not
    /// know. collect() reports what happened to the processes in the journal, and nothing for those
    /// that still run. Waits for shims, at most `patience` in all.
    [[nodiscard]] std::vector<FoundProcess> adopt(Instant now, const JournalImage& journal,
                                                  Duration patience);

    /// The highest number of all processes that were left, including those to remove. A new process
    /// with the number of one that is being removed would be mistaken for it.
    [[nodiscard]] ProcessId last_left() const { return last_left_; }

    /// Which limits of tasks this host enforces. Valid after open().
    [[nodiscard]] const std::vector<LimitFact>& limits() const { return launcher_.limits(); }

    /// Why this host's rules do not let it run what a start orders. Nothing: they do.
    [[nodiscard]] std::optional<std::string> objection_to_start(const InstanceId& id,
                                                                Generation generation,
                                                                const TaskSpec& spec) const {
        return launcher_.objection_to_start(id, generation, spec);
    }
    /// The secrets that come with starts.
    [[nodiscard]] SecretVault& vault() { return launcher_.vault(); }
    void spawn(const Spawn& order);
    /// Makes the shim send its state again, over a new link. Orders that the shim has not read from
    /// the old link are lost, so the caller must repeat them.
    void ask(Instant now, const Ask& order);
    void end(const End& order);
    void renew(const Renewal& order);
    /// Signals the process group, if the process runs.
    void signal(ProcessId process, int number);
    void release(const Release& order);
    /// The instance is gone: from now on its files on disk count toward a limit.
    void forget(const InstanceId& id) { launcher_.forget(id); }

    /// Readable when collect() has something to do.
    [[nodiscard]] int fd() const { return ready_.get(); }
    /// What happened since the last call, in order.
    [[nodiscard]] std::vector<ProcessEvent> collect(Instant now);
    /// The processes whose state arrived only after their shim was asked again, since the last
    /// call.
    [[nodiscard]] std::vector<ProcessId> take_mended() { return std::exchange(mended_, {}); }
    /// When to call collect() even if fd() is not readable.
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return events_.empty() ? orphans_->next_deadline() : Instant{};
    }

    /// The last state from the shim of a process. Null: it has no shim.
    [[nodiscard]] const ShimState* state_of(ProcessId process) const;

private:
    struct Tree {
        ShimLink link;
        ShimState state;
        std::string program;
        bool is_started = false;  // The start was reported.
        bool is_ended = false;    // The end, or the failed start, was reported.
        bool is_left = false;     // An earlier life left it, without a shim.
        bool is_asked = false;    // Its shim was asked and has not answered yet.
    };
    using Entry = std::map<ProcessId, Tree>::value_type;

    [[nodiscard]] bool starts_to_watch(ProcessId process, const ShimLink& link) const;
    Tree& watch(ProcessId process, ShimLink link);
    void connect_all(const std::set<ProcessId>& processes);
    void listen_to_all(Duration patience);
    void adopt_instance(Instant now, const InstanceImage& image);
    bool receive(Instant now, Entry& entry);
    bool ask_again(Entry& entry);
    void emit_events(Entry& entry);
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
