#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agent/core/instances/instance_table.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// What reports contain about the instances, when, and since which revision a delta can begin.
///
/// The revision grows by one with each step that changed something. Every instance has the revision
/// of its last change. The latest `gone_kept` instances that are gone are kept, too. A delta that
/// would begin earlier is a snapshot instead.
///
/// Changes at about the same time go together in one delta without a poll, once the leader has
/// polled. The leader plans as soon as it gets the delta.
///
/// Owned by Agent.
class Reporter {
public:
    static constexpr std::size_t gone_kept = 1024;

    void note(Instant now, const std::set<InstanceId>& touched, const Instances& instances);

    /// The leader holds nothing yet.
    void on_welcome() { last_reported_ = Revision{}; }
    /// Kind, from, to, instances and gone, for a leader that holds `seen`.
    [[nodiscard]] Report make_report(Revision seen, const Instances& instances);
    /// The revision of the last report to the leader.
    [[nodiscard]] Revision last_reported() const { return last_reported_; }
    /// The leader has a report, but not the latest changes.
    [[nodiscard]] bool has_news() const {
        return last_reported_ != Revision{} && last_reported_ != revision_;
    }
    /// True if a delta is due. The caller sends it now.
    [[nodiscard]] bool take_due(Instant now, bool may_send);
    [[nodiscard]] std::optional<Instant> next_deadline() const { return due_; }

private:
    [[nodiscard]] Report empty(ReportKind kind, Revision from) const;
    [[nodiscard]] Report snapshot(const Instances& instances) const;
    [[nodiscard]] Report delta(Revision seen, const Instances& instances) const;
    void add_gone(const InstanceId& id);

    Revision revision_{1};      // 0 would mean that the leader holds nothing.
    Revision reaches_back_{1};  // The earliest revision a delta can begin at.
    std::map<InstanceId, Revision> changed_;
    std::deque<std::pair<Revision, InstanceId>> gone_;
    Revision last_reported_{};  // 0: the leader has not polled yet.
    std::optional<Instant> due_;
    Instant sent_;  // When the last delta was sent.
};

}  // namespace muster::agent
