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

/// When one instance is started again after its process ended, and when that is given up, as the
/// rule of its task says.
///
/// The delay begins at the rule's and doubles to 5 min; a process that ran 10 minutes clears the
/// record. Who has been started `max` times within the window is given up when the last of them
/// ends. There is no jitter: the delays of one host's instances need not be spread, and a trace
/// stays readable.
///
/// A value, one per instance and generation.
class RestartRecord {
public:
    RestartRecord() = default;
    explicit RestartRecord(RestartHistory history) : history_{std::move(history)} {}

    [[nodiscard]] const RestartHistory& history() const { return history_; }

    /// A process is about to be made.
    void starting(Instant now, const RestartRule& rule);
    /// The process runs.
    void running(Instant now) { history_.running_since = now; }
    /// No process came of it for the host's sake: says nothing against the instance.
    void forgive_start();

    /// How long to wait before the next start; nothing: given up.
    [[nodiscard]] std::optional<Duration> after_end(Instant now, const RestartRule& rule);

private:
    void forget_old(Instant now, const RestartRule& rule);

    RestartHistory history_;
};

/// What an instance runs.
struct Version {
    Generation generation{};
    Digest digest;
    std::uint64_t token = 0;  ///< Of its start, if it is exclusive.
};

/// One instance of this node.
struct Instance {
    struct Process {
        ProcessId id{};  ///< 0: none.
        ProcessIdentity identity;
        bool runs = false;  ///< Its start is confirmed.
    };

    InstanceReport report;
    Digest digest;
    std::uint64_t token = 0;
    Process process;
    bool is_adopted = false;      ///< It is of an earlier life.
    bool is_lapsed = false;       ///< Its lease ended: its shim ends it, and no poll renews it.
    bool leaving = false;         ///< Its process is to end for good.
    bool gone = false;            ///< It has; told when it is in the journal, so that it stays so.
    std::optional<Version> next;  ///< Takes over when the process is gone.
    RestartRecord record;
    std::optional<Instant> deadline;  ///< Of the back-off, or of the next try of a failed one.

    [[nodiscard]] bool has_process() const { return process.id != ProcessId{}; }
    /// It runs nothing and waits for nothing: it stays as it is.
    [[nodiscard]] bool is_over() const;
};
using Instances = std::map<InstanceId, Instance>;

[[nodiscard]] bool is_over(InstanceState state);

/// The instances of this node, and what their changes are reason for: each is to be reported, and
/// to be written into the journal; some wait for a moment.
///
/// Owned by Lifecycle.
class InstanceTable {
public:
    using Entry = Instances::value_type;

    [[nodiscard]] const Instances& all() const { return instances_; }
    /// Those that run or are to run, whatever the journal says.
    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] Entry* find(const InstanceId& id);
    [[nodiscard]] Entry& at(const InstanceId& id);
    /// A new one, or the one that is there.
    [[nodiscard]] Entry& add(const InstanceId& id);
    [[nodiscard]] auto begin() { return instances_.begin(); }
    [[nodiscard]] auto end() { return instances_.end(); }

    void set_state(Entry& entry, InstanceState state, std::string_view detail = {});
    void set_deadline(Entry& entry, std::optional<Instant> deadline);
    /// An instance whose deadline is over, which it has no more; nothing: there is none.
    [[nodiscard]] Entry* take_due(Instant now);
    [[nodiscard]] std::optional<Instant> next_deadline() const {
        return deadlines_.empty() ? std::nullopt : std::optional{deadlines_.begin()->first};
    }

    /// It is to be reported and to be written.
    void touch(const InstanceId& id);
    void touch_report(const InstanceId& id) { touched_.insert(id); }
    void touch_journal(const InstanceId& id) { unwritten_.insert(id); }
    /// It is gone, and the journal knows: unless it has changed since, it is no more.
    void erase_gone(const InstanceId& id);
    /// The instances whose report changed or that are gone, since the last call.
    [[nodiscard]] std::set<InstanceId> take_touched() { return std::exchange(touched_, {}); }
    /// Those that the journal is to know as they are now.
    [[nodiscard]] std::set<InstanceId> take_unwritten() { return std::exchange(unwritten_, {}); }

private:
    Instances instances_;
    std::set<std::pair<Instant, InstanceId>> deadlines_;
    std::set<InstanceId> touched_;
    std::set<InstanceId> unwritten_;
};

}  // namespace muster::agent
