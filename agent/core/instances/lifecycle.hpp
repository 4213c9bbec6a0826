#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/fencing/write_watch.hpp"
#include "agent/core/instances/instance_table.hpp"
#include "agent/core/instances/processes.hpp"
#include "agent/core/instances/specs.hpp"
#include "agent/core/journal.hpp"
#include "agent/core/options.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// The life of each instance and its processes, whoever asks for it.
///
///     pending -> starting -> running -> backoff -> pending ...
///                    |           |  `-> exited, failed     until replaced or stopped; one that
///                    |           |                         could not be executed is tried again
///                    `-----------+----> stopping -> gone, or pending in its next generation
///
/// An instance has one process at a time, so never two generations of it run.
///
/// What the journal is to know is noted there; a process is ordered when it is in the journal, and
/// released when the journal has its end. That a process runs or is gone is told by its shim. If
/// that is overdue, its shim is asked, and what was to end is ordered to end again.
///
/// Owned by Agent.
class Lifecycle {
public:
    using Entry = InstanceTable::Entry;

    /// Takes over what an earlier life left. What became of its processes is told afterwards.
    explicit Lifecycle(const RecoveredState& recovered);

    [[nodiscard]] const Instances& instances() const { return table_.all(); }
    [[nodiscard]] InstanceTable& table() { return table_; }
    [[nodiscard]] Processes& processes() { return processes_; }
    [[nodiscard]] Entry& entry_of(ProcessId process);

    [[nodiscard]] Result<void> learn(const SpecVersion& version);
    [[nodiscard]] const TaskSpec* find_spec(const InstanceId& id, Digest digest) const {
        return specs_.find(id.task, digest);
    }
    [[nodiscard]] const TaskSpec& spec_of(const Entry& entry) const;

    /// Waits for its turn to be made in this version. It has no process.
    void become(Entry& entry, const Version& version);
    /// Its process is to end for good.
    void end_process(Entry& entry);
    /// It has no process, or is to have none: its next version takes over, or it goes.
    void replace_or_leave(Entry& entry);
    /// The lease of its process is over. Its shim, which counts the same lease and longer than we
    /// do, ends it.
    void lapse(Entry& entry);
    /// Its process is no more.
    void release_process(Entry& entry);
    void wait_for_turn(Entry& entry);
    void fail_for_now(Instant now, Entry& entry, const std::string& why);
    void restart_or_give_up(Instant now, Entry& entry, const std::string& why);

    /// Carries out what is due: restarts, and starts that waited their turn.
    void wake(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const;

    /// What is to be written, once a write has ended; a failed one is tried again after a while.
    [[nodiscard]] std::optional<JournalWrite> take_journal(Instant now);
    /// `lease`: an exclusive process that begins now may run until then.
    void on_journaled(std::optional<Instant> lease);
    /// Gives the processes that are not made, for nobody may know of them.
    [[nodiscard]] std::vector<ProcessId> on_journal_failed(Instant now);
    [[nodiscard]] const WriteWatch& writes() const { return writes_; }
    /// All is in the journal, or it cannot be written.
    [[nodiscard]] bool is_journaled() const { return journal_.is_done() || writes_.has_failed(); }

private:
    void restore(const InstanceImage& image, bool is_rebooted);
    void adopt(const InstanceImage& image, Entry& entry);
    void adopt(const FoundProcess& found);
    void spawn(Instant now, Entry& entry);
    void order_end(const Entry& entry);
    void await_start(const Entry& entry);
    void await_end(const Entry& entry);

    Specs specs_;
    Journal journal_;
    WriteWatch writes_;
    InstanceTable table_;
    Processes processes_;
    std::set<InstanceId> pending_;  // Waiting for their turn to be made.
};

}  // namespace muster::agent
