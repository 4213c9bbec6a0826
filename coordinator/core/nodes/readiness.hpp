#pragma once

#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// Whether a node is able to run instances, as its agent reports: the host asks for work, and the
/// readiness check of the agent passes, if it has one.
class NodeReadiness {
public:
    explicit NodeReadiness(NodeRegistry& nodes) : nodes_{nodes} {}

    /// A new life counts its checks from 0.
    void begin_life(NodeIndex index);
    /// The checks that ended until now no longer count.
    void ignore_past_checks(NodeIndex index);
    /// Judges by its last report.
    void judge(StepContext& step, NodeIndex index);

private:
    NodeRegistry& nodes_;
};

}  // namespace muster::coordinator
