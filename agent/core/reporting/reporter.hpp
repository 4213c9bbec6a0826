#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "agent/core/instances/supervisor.hpp"
#include "common/base/ids.hpp"
#include "common/messages/message.hpp"

namespace muster::agent {

/// What is told of the instances, and from which revision on it can be told as a difference.
///
/// The revision grows by one with each step that changed something. Every instance has the revision
/// of its last change; of those that are gone, the latest `gone_kept` are remembered. A delta that
/// would reach back further is a snapshot instead.
///
/// Pure. Owned by Agent.
class Reporter {
public:
    static constexpr std::size_t gone_kept = 1024;

    void note(const std::set<InstanceId>& touched, const Supervisor::Instances& instances);
    [[nodiscard]] Revision revision() const { return revision_; }

    /// Kind, from, to, instances and gone, for one who holds `seen`.
    [[nodiscard]] Report since(Revision seen, const Supervisor::Instances& instances) const;

private:
    [[nodiscard]] Report empty(ReportKind kind, Revision from) const;
    [[nodiscard]] Report snapshot(const Supervisor::Instances& instances) const;
    [[nodiscard]] Report delta(Revision seen, const Supervisor::Instances& instances) const;
    void add_gone(const InstanceId& id);

    Revision revision_{1};      // 0 would say that nothing is held.
    Revision reaches_back_{1};  // The earliest revision a delta can begin at.
    std::map<InstanceId, Revision> changed_;
    std::deque<std::pair<Revision, InstanceId>> gone_;
};

}  // namespace muster::agent
