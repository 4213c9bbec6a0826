#include "coordinator/core/queries/unconfirmed.hpp"

#include <string>

#include "coordinator/core/liveness/liveness.hpp"
#include "coordinator/core/nodes/notes.hpp"

namespace muster::coordinator {

namespace {

std::string describe(const Node& node) {
    return (node.gone ? "its node " : "its node is ") + describe_node(node);
}

bool is_over_lease(const Facts& facts, NodeIndex node, const InstanceView& instance) {
    const auto task = facts.copies.workload.find(instance.id.task);
    return task && facts.copies.workload[*task].spec.exclusive &&
           facts.copies.leases.is_over(facts.now, node);
}

}  // namespace

std::string why_unconfirmed(const Facts& facts, NodeIndex index) {
    const Node& node = facts.nodes[index];
    return is_unconfirmed(node) || may_return(node) ? "unconfirmed: " + describe(node) : "";
}

void note_unconfirmed(const Facts& facts, NodeIndex index, InstanceView& instance) {
    const std::string why = why_unconfirmed(facts, index);
    if (why.empty()) {
        return;
    }
    if (is_over_lease(facts, index, instance)) {
        instance.state = "unknown";
        instance.detail = "its lease has ended, and " + describe(facts.nodes[index]);
    } else {
        instance.detail = why + (instance.detail.empty() ? "" : "; " + instance.detail);
    }
}

}  // namespace muster::coordinator
