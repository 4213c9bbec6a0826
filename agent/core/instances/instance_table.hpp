#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "agent/core/journal.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"
#include "common/spec/spec.hpp"

namespace muster::agent {

/// When an instance starts again after its process ended, and when the agent gives it up, by the
/// restart rule of its task.
///
/// The delay begins at the delay of the rule and doubles up to 5 min. A process that ran for 10
/// minutes clears the record. An instance with `max` starts within the window is given up when the
/// last of these processes ends. There is no jitter: the delays on one host need no spreading, and
/// a trace stays readable.
///
/// A value, one per instance and generation.
class RestartRecord {
public:
    RestartRecord() = default;
    explicit RestartRecord(RestartHistory history) : history_{std::move(history)} {}

    [[nodiscard]] const RestartHistory& history() const { return history_; }

    /// A process is about to be created.
    void starting(Instant now, const RestartRule& rule);
    /// The process runs.
    void running(Instant now) { history_.running_since = now; }
    /// The host could not create the process, so this start does not count against the instance.
    void forgive_start();

    /// How long to wait before the next start. Nothing: the instance is given up.
    [[nodiscard]] std::optional<Duration> after_end(Instant now, const RestartRule& rule);

private:
    void forget_old(Instant now, const RestartRule& rule);

    RestartHistory history_;
};

/// What an instance runs.
struct Version {
    Generation generation{};
    Digest digest;
    std::uint64_t token = 0;  ///< The token of its start, if it is exclusive.
    Proof proof{};            ///< Of its start.
};

/// One instance of this node.
struct Instance {
    struct Process {
        ProcessId id{};  ///< 0: there is none.
        ProcessIdentity identity;
        bool runs = false;  ///< Its start is confirmed.
    };

    InstanceReport report;
    Digest digest;
    std::uint64_t token = 0;
    Process process;
    bool is_adopted = false;       ///< An earlier life started it.
    bool is_lapsed = false;        ///< Its lease ended: its shim ends it, and no poll renews it.
    bool leaving = false;          ///< Its process is to end for good.
    bool ends_with_agent = false;  ///< It leaves because the agent shuts down, by no command. Not
                                   ///< journaled as leaving: one that ended before stays.
    bool gone = false;  ///< The process has ended. Reported once the journal has it, so that no
                        ///< restart undoes it.
    std::optional<Version> next;  ///< Takes over when the process is gone.
    RestartRecord record;
    std::optional<Instant> deadline;  ///< Of the back-off, or of the next try of a failed instance.

    [[nodiscard]] bool has_process() const { return process.id != ProcessId{}; }
    /// It runs nothing and waits for nothing, so it does not change by itself.
    [[nodiscard]] bool is_over() const;
};
using Instances = std::map<InstanceId, Instance>;

[[nodiscard]] bool is_over(InstanceState state);

/// The instances of this node, and the consequences of their changes: each change is reported and
/// written into the journal. Some instances wait for a deadline.
///
/// Owned by Lifecycle.
class InstanceTable {
public:
    using Entry = Instances::value_type;

    [[nodiscard]] const Instances& all() const { return instances_; }
    /// Instances that run or are about to run, whatever the journal says.
    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] Entry* find(const InstanceId& id);
    [[nodiscard]] Entry& at(const InstanceId& id);
    /// Returns the instance, and adds it if it is not there.
    [[nodiscard]] Entry& add(const InstanceId& id);
    [[nodiscard]] auto begin() { return instances_.begin(); }
    [[nodiscard]] auto end() { return instances_.end(); }

    void set_state(Entry& entry, InstanceState state, std::string_view detail = {});
    void set_deadline(Entry& entry, std::optional<Instant> deadline);
    /// Takes the deadline of an instance whose deadline is over. Nothing: there is none.
    [[nodiscard]] Entry* take_due(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return deadlines_.empty() ? std::nullopt : std::optional{deadlines_.begin()->first};
    }

    /// The instance will be reported and written.
    void touch(const InstanceId& id);
    void touch_report(const InstanceId& id) { touched_.insert(id); }
    void touch_journal(const InstanceId& id) { unwritten_.insert(id); }
    /// Erases an instance that is gone, once the journal knows, unless it has changed since.
    void erase_gone(const InstanceId& id);
    /// The instances that changed or went since the last call.
    [[nodiscard]] std::set<InstanceId> take_touched() { return std::exchange(touched_, {}); }
    /// The instances to write into the journal as they are now.
    [[nodiscard]] std::set<InstanceId> take_unwritten() { return std::exchange(unwritten_, {}); }

private:
    Instances instances_;
    std::set<std::pair<Instant, InstanceId>> deadlines_;
    std::set<InstanceId> touched_;
    std::set<InstanceId> unwritten_;
};

}  // namespace muster::agent
