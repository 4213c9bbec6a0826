#include "coordinator/core/liveness/recovery.hpp"

#include "common/base/ensure.hpp"

namespace muster::coordinator {

Recovery::Recovery(Instant now, Duration grace, Generation counter, NodeRegistry& nodes)
    : grace_ends_{now + grace}, counter_{counter} {
    for (const NodeIndex index : nodes.by_name()) {
        Node& node = nodes.edit(index);
        node.awaited = !node.lost && !node.gone;
        awaited_ += node.awaited ? 1 : 0;
    }
}

void Recovery::settled(Node& node) {
    if (node.awaited) {
        ensure(awaited_ > 0, "who is awaited is counted");
        node.awaited = false;
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
