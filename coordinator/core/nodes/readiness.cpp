#include "coordinator/core/nodes/readiness.hpp"

#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

void NodeReadiness::begin_life(NodeIndex index) {
    nodes_.edit(index, WriteKey<ReadinessFacts>{}).ignored_checks = 0;
}

void NodeReadiness::ignore_past_checks(NodeIndex index) {
    nodes_.edit(index, WriteKey<ReadinessFacts>{}).ignored_checks =
        facts_of(nodes_[index]).host.checks;
}

// The host's own request for no work comes first. A failed check makes the node unready, also
// between polls. Only a check that ended after that makes the node ready again.
void NodeReadiness::judge(StepContext& step, NodeIndex index) {
    const Node& node = nodes_[index];
    const HostFacts& host = facts_of(node).host;
    const bool is_unready = health_of(node) == Health::unready;
    if (host.unable) {
        if (node.able) {
            nodes_.transition(step, index, NodeChange::unready, describe_unable(facts_of(node)));
        }
    } else if (host.readiness == Readiness::failed && node.able) {
        ignore_past_checks(index);
        nodes_.transition(step, index, NodeChange::unready, describe_check(host));
    } else if (host.readiness == Readiness::none && is_unready) {
        nodes_.transition(step, index, NodeChange::ready, "no check is asked for");
    } else if (host.readiness == Readiness::passed && is_unready &&
               host.checks > node.ignored_checks) {
        nodes_.transition(step, index, NodeChange::ready, "its check passed");
    }
}

}  // namespace muster::coordinator
