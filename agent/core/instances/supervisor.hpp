#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/instances/grant.hpp"
#include "agent/core/instances/restart_record.hpp"
#include "agent/core/instances/shim_watch.hpp"
#include "agent/core/instances/specs.hpp"
#include "agent/core/io.hpp"
#include "agent/core/options.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// Which instances this node runs, and the life of their processes.
///
///     pending -> starting -> running -> backoff -> pending ...
///                    |           |  `-> exited, failed     until replaced or stopped; one that
///                    |           |                         could not be executed is tried again
///                    `-----------+----> stopping -> gone, or pending in its next generation
///
/// An instance has one process at a time, so never two generations of it run. At most
/// `spawns_at_once` processes are being made at a time; the others stay pending, so that a large
/// batch does not keep the shell from answering polls.
///
/// An exclusive instance runs under the lease of this host (see Grant), and leaves when that ends;
/// its shim ends the process even if there is no agent. One of an earlier life keeps its process,
/// and leaves with it: whether it runs elsewhere by then is not known here.
///
/// That a process runs or is gone is told by its shim. If that is overdue, its shim is asked, and
/// what was to end is ordered to end again.
///
/// What the journal is to know is noted there; a process is ordered when it is in the journal, and
/// released when the journal has its end.
///
/// Pure: what is to be done to processes is taken with take_orders(). Owned by Agent.
class Supervisor {
public:
    static constexpr std::size_t spawns_at_once = 32;

    struct Version {
        Generation generation{};
        Digest digest;  ///< Of a spec in `specs_`.
        std::uint64_t token = 0;
    };
    struct Instance {
        InstanceReport report;
        Digest digest;
        ProcessId process{};  ///< 0: none.
        ProcessIdentity identity;
        std::uint64_t token = 0;    ///< Of its start, if it is exclusive.
        bool process_runs = false;  ///< Its start is confirmed.
        bool is_adopted = false;    ///< It is of an earlier life.
        bool is_lapsed = false;     ///< Its lease ended: its shim ends it, and no poll renews it.
        bool leaving = false;       ///< Its process is to end for good.
        bool gone = false;  ///< It has; told when it is in the journal, so that it stays so.
        std::optional<Version> next;  ///< Takes over when the process is gone.
        RestartRecord record;
        std::optional<Instant> deadline;  ///< Of the back-off, or of the next try of a failed one.
    };
    using Instances = std::map<InstanceId, Instance>;

    struct Orders {
        std::vector<Release> releases;
        std::vector<Ask> asks;
        std::vector<End> ends;
        std::vector<Renewal> renewals;
        std::vector<Spawn> spawns;
    };

    /// Takes over what an earlier life left. What became of its processes is told afterwards.
    void restore(const Beginning& beginning);

    [[nodiscard]] Result<void> learn(const SpecVersion& version);
    /// Runs the instance in this version; the same or a lower generation changes nothing. Refused
    /// when its spec is unknown, the node is full or it shuts down, or it is exclusive and brings
    /// no lease.
    [[nodiscard]] Result<void> start(Instant now, const Start& command);
    void stop(const Stop& command);
    /// Stops all and starts nothing any more.
    void shut_down();

    /// A poll said until when exclusive instances may run.
    void extend_lease(Instant now, BootMs lease);
    /// What is exclusive leaves if its lease is over. To be called before anything else happens:
    /// an agent that was halted must not take up what it had.
    void end_lease_if_due(Instant now);

    void process_started(Instant now, const ProcessStarted& event);
    void process_not_started(Instant now, const ProcessNotStarted& event);
    void process_ended(Instant now, const ProcessEnded& event);

    [[nodiscard]] std::optional<JournalWrite> take_journal();
    [[nodiscard]] bool is_journaled() const { return journal_.is_done(); }
    void journaled();
    void journal_failed(Instant now, const std::string& why);

    /// Carries out what is due: restarts, and starts that waited their turn.
    void wake(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const;
    /// When end_lease_if_due() has something to do, which is part of the above.
    [[nodiscard]] std::optional<Instant> lease_until() const { return grant_.until(); }

    [[nodiscard]] Orders take_orders() { return std::exchange(orders_, {}); }
    /// The instances whose report changed or that are gone, since the last call.
    [[nodiscard]] std::set<InstanceId> take_touched() { return std::exchange(touched_, {}); }

    [[nodiscard]] const Instances& instances() const { return instances_; }
    /// Those that run or are to run, whatever the journal says.
    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] bool spawn_failing() const { return spawn_failing_; }
    /// A process that is no instance's was made, or could not be for the host's sake.
    void note_spawn(bool made) { spawn_failing_ = !made; }

private:
    using Entry = Instances::value_type;

    [[nodiscard]] bool would_change(const Start& command) const;
    [[nodiscard]] const TaskSpec& spec_of(const Entry& entry) const;
    Entry& entry_of(ProcessId process);
    [[nodiscard]] bool is_stray(ProcessId process) const { return strays_.contains(process); }
    void end_stray(ProcessId process);
    void release_stray(ProcessId process);
    void restore(const InstanceImage& image, bool is_rebooted);
    void adopt(const FoundProcess& found);
    void touch(const InstanceId& id);
    void set_state(Entry& entry, InstanceState state, std::string detail = {});
    void set_deadline(Entry& entry, std::optional<Instant> deadline);

    void become(Entry& entry, Version version);
    void spawn(Instant now, Entry& entry);
    void end_process(Entry& entry);
    void order_end(const Entry& entry);
    void await_start(const Entry& entry);
    void await_end(const Entry& entry);
    void ask(ProcessId process);
    void release_process(Entry& entry);
    void replace_or_leave(Entry& entry);
    void fail_for_now(Instant now, Entry& entry, const std::string& why);
    [[nodiscard]] bool is_exclusive(const InstanceId& id, Digest digest) const;
    void leave_with_lease(Entry& entry);
    [[nodiscard]] bool may_start_again(const Entry& entry) const;
    void restart_or_give_up(Instant now, Entry& entry, const std::string& why);
    void carry_out_deadline(Entry& entry);

    Specs specs_;
    Grant grant_;
    Journal journal_;
    Instances instances_;
    std::map<ProcessId, InstanceId> processes_;
    std::set<std::pair<Instant, InstanceId>> deadlines_;
    std::set<InstanceId> pending_;  // Waiting for their turn to be made.
    std::set<ProcessId> intents_;   // To be ordered when they are in the journal.
    std::set<ProcessId> strays_;    // Found, of no instance: told to end.
    ShimWatch shims_;
    std::size_t starting_ = 0;  // Processes not yet confirmed.
    ProcessId last_process_{};
    bool shutting_down_ = false;
    bool spawn_failing_ = false;
    Orders orders_;
    std::set<InstanceId> touched_;
    std::set<InstanceId> unwritten_;  // Touched, and not yet noted in the journal.
};

}  // namespace muster::agent
