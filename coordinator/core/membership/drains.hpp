#pragma once

#include <set>

#include "common/base/ids.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/membership/fleet.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// The nodes that operators drain. A drain ends by itself once the node reports no running
/// instances. An event reports a passed deadline.
class Drains {
public:
    Drains(NodeRegistry& nodes, Ledger& ledger) : nodes_{nodes}, ledger_{ledger} {}

    /// Keeps or ends the drain and its deadline, as the row says.
    void watch(const StepContext& step, NodeIndex index, const StoredIntent& row);
    /// Civil time became known: sets the deadlines, which are in civil time.
    void watch_all(const StepContext& step);
    /// The record is deleted.
    void forget(NodeIndex index) { draining_.erase(index); }
    /// Ends the drains of nodes that report no running instances.
    void complete(StepContext& step, const FleetView& fleet);
    [[nodiscard]] const std::set<NodeIndex>& draining() const { return draining_; }

private:
    friend struct CoreFields;

    NodeRegistry& nodes_;
    Ledger& ledger_;
    std::set<NodeIndex> draining_;
};

}  // namespace muster::coordinator
