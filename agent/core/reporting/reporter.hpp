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

/// What is told of the instances, when, and from which revision on it can be told as a difference.
///
/// The revision grows by one with each step that changed something. Every instance has the revision
/// of its last change; of those that are gone, the latest `gone_kept` are remembered. A delta that
/// would reach back further is a snapshot instead.
///
/// Changes that come together are told together, unasked, once the leader has polled: it plans at
/// once when it is told.
///
/// Owned by Agent.
class Reporter {
public:
    static constexpr std::size_t gone_kept = 1024;

    void note(Instant now, const std::set<InstanceId>& touched, const Instances& instances);

    /// A leader that holds nothing yet.
    void on_welcome() { told_ = Revision{}; }
    /// Kind, from, to, instances and gone, for one who holds `seen`.
    [[nodiscard]] Report tell(Revision seen, const Instances& instances);
    /// The leader was told up to here.
    [[nodiscard]] Revision told() const { return told_; }
    /// It was told of instances, and not of all.
    [[nodiscard]] bool has_news() const { return told_ != Revision{} && told_ != revision_; }
    /// True if news are to be told now, which they are.
    [[nodiscard]] bool take_due(Instant now, bool may_tell);
    [[nodiscard]] std::optional<Instant> next_deadline() const { return due_; }

private:
    [[nodiscard]] Report empty(ReportKind kind, Revision from) const;
    [[nodiscard]] Report snapshot(const Instances& instances) const;
    [[nodiscard]] Report delta(Revision seen, const Instances& instances) const;
    void add_gone(const InstanceId& id);

    Revision revision_{1};      // 0 would say that nothing is held.
    Revision reaches_back_{1};  // The earliest revision a delta can begin at.
    std::map<InstanceId, Revision> changed_;
    std::deque<std::pair<Revision, InstanceId>> gone_;
    Revision told_{};  // 0: the leader has not polled yet.
    std::optional<Instant> due_;
    Instant sent_;  // News were told last.
};

}  // namespace muster::agent
