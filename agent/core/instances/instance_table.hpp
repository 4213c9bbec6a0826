#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "agent/core/instances/restart_record.hpp"
#include "agent/core/journal.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

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
    [[nodiscard]] std::optional<Instant> next_deadline() const;

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
