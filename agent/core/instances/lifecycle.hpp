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

/// The life of each instance and its processes, for every caller.
///
///     pending -> starting -> running -> backoff -> pending ...
///                    |           |  `-> exited, failed     until replaced or stopped; one that
///                    |           |                         could not be executed is tried again
///                    `-----------+----> stopping -> gone, or pending in its next generation
///
/// An instance has one process at a time, so two generations of it never run together.
///
/// A process is ordered once the journal has it, and released once the journal has its end. Its
/// shim reports that a process runs or is gone. If the report is overdue, the agent asks the shim,
/// and repeats an order to end.
///
/// Owned by Agent.
class Lifecycle {
public:
    using Entry = InstanceTable::Entry;

    /// Takes over what an earlier life left. Inputs report the fate of its processes afterwards.
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

    /// Makes the instance wait for its turn to start in this version. It has no process.
    void become(Entry& entry, const Version& version);
    /// Ends the process of the instance for good.
    void end_process(Entry& entry);
    /// The instance has no process, or loses it: its next version takes over, or it goes.
    void replace_or_leave(Entry& entry);
    /// The lease of the process is over. Its shim counts the same lease, a little longer, and ends
    /// the process.
    void end_with_lease(Entry& entry);
    /// The process is gone.
    void release_process(Entry& entry);
    void wait_for_turn(Entry& entry);
    void fail_for_now(Instant now, Entry& entry, const std::string& why);
    void restart_or_give_up(Instant now, Entry& entry, const std::string& why);

    /// Carries out what is due: restarts, and starts that waited for their turn.
    void wake(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const;

    /// The next write, if none is under way. A failed write is repeated after a while.
    [[nodiscard]] std::optional<JournalWrite> take_journal(Instant now);
    /// `lease`: an exclusive process that begins now may run until then.
    void on_journaled(std::optional<Instant> lease);
    /// Returns the processes that are not created, because no record of them is on disk.
    [[nodiscard]] std::vector<ProcessId> on_journal_failed(Instant now);
    [[nodiscard]] const WriteWatch& writes() const { return writes_; }
    /// The journal is complete, or it cannot be written.
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
    std::set<InstanceId> pending_;  // They wait for their turn to start.
};

}  // namespace muster::agent
