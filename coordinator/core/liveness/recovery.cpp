#include "coordinator/core/liveness/recovery.hpp"

#include "common/base/ensure.hpp"

namespace muster::coordinator {

Recovery::Recovery(Instant now, Duration grace, Generation counter, NodeRegistry& nodes)
    : nodes_{nodes}, grace_ends_{now + grace}, counter_{counter} {
    for (const NodeIndex index : nodes.by_name()) {
        const Node& node = nodes[index];
        const bool is_awaited = !node.lost && !node.gone;
        nodes.edit(index, WriteKey<RecoveryFacts>{}).awaited = is_awaited;
        awaited_ += is_awaited ? 1 : 0;
    }
}

void Recovery::resolved(NodeIndex index) {
    if (nodes_[index].awaited) {
        ensure(awaited_ > 0, "an awaited node is counted");
        nodes_.edit(index, WriteKey<RecoveryFacts>{}).awaited = false;
        --awaited_;
    }
}

bool Recovery::end_if_due() {
    if (!runs_ || awaited_ > 0) {
        return false;
    }
    runs_ = false;
    return true;
}

std::optional<Generation> Recovery::held_back() const {
    return runs_ ? std::optional{counter_} : std::nullopt;
}

bool Recovery::may_be_lost(Instant now, const Node& node) const {
    return now >= grace_ends_ || (!runs_ && !node.from_store);
}

}  // namespace muster::coordinator
