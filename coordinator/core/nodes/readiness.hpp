#pragma once

#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// Whether a node is able to run what it is given, as its agent says: the host asks for work, and
/// the readiness check of the agent passes, if it has one.
class NodeReadiness {
public:
    explicit NodeReadiness(NodeRegistry& nodes) : nodes_{nodes} {}

    /// Another life, which counts its checks from 0.
    void begin_life(NodeIndex index);
    /// The checks that it has made so far prove nothing any more.
    void distrust_checks(NodeIndex index);
    /// By what it said last.
    void judge(StepContext& step, NodeIndex index);

private:
    NodeRegistry& nodes_;
};

}  // namespace muster::coordinator
