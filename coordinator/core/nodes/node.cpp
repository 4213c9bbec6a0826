#include "coordinator/core/nodes/node.hpp"

namespace muster::coordinator {

bool is_lost(const Node& node) { return node.lost || node.gone; }

bool is_silent(const Node& node) { return node.lost || node.silent; }

bool is_unconfirmed(const Node& node) { return node.silent && !is_lost(node); }

Health health_of(const Node& node) {
    if (is_lost(node)) {
        return Health::lost;
    }
    if (node.suspended_until) {
        return Health::flaky;
    }
    return node.able ? Health::healthy : Health::unready;
}

bool may_serve(const Node& node) {
    return health_of(node) == Health::healthy && node.intent == Intent::active && !node.ahead &&
           !node.durable.ahead && !node.lacks_proofs;
}

bool is_serving(const Node& node) { return may_serve(node) && !node.silent; }

bool is_commandable(const Node& node) {
    return node.session && node.reported && !node.ahead && node.durable == row_of(node);
}

bool is_counted(const Node& node) { return !(node.lost && node.durable.lost); }

bool is_unknown(const Node& node) { return node.from_store && !node.reported; }

// A new leadership waits for a node that left instances running as for one that fell silent.
Recorded row_of(const Node& node) {
    return {.incarnation = node.incarnation,
            .lost = node.lost,
            .gone = node.gone && !node.left_instances_running,
            .ahead = node.ahead};
}

Recorded recorded(const StoredNode& row) {
    return {.incarnation = row.incarnation, .lost = row.lost, .gone = row.gone, .ahead = row.ahead};
}

StoredNode stored(const Node& node) {
    const Recorded row = row_of(node);
    return {node.name, row.incarnation, row.lost, row.gone, row.ahead};
}

const AgentFacts& facts_of(const Node& node) {
    static const AgentFacts nothing;
    return node.agent_facts ? *node.agent_facts : nothing;
}

}  // namespace muster::coordinator
