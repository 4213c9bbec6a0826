#pragma once

#include <cstddef>
#include <optional>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "coordinator/core/nodes/registry.hpp"

namespace muster::coordinator {

/// The start of a leadership. We know what is wanted but not yet what runs. So nothing of an older
/// generation is started or stopped until every stored node that was not lost and had not left has
/// sent a snapshot (S11). After `grace` a silent node is judged as at any other time. Until it is
/// lost, it may run the instances that seem to be missing (S7). Recovery then stops waiting for a
/// node that is ahead: such a node may never report, and must not hold up all others. Newer changes
/// are not held back.
///
/// A node of the store does not become lost before `grace` has passed, even if recovery ended
/// earlier: it needs that time to find us. A node that first joined in this leadership has found
/// us.
class Recovery {
public:
    Recovery(Instant now, Duration grace, Generation counter, NodeRegistry& nodes);

    /// The node has reported, is lost, or is not awaited any more.
    void resolved(NodeIndex index);
    /// True once, when recovery is over.
    [[nodiscard]] bool end_if_due();

    [[nodiscard]] bool runs() const { return runs_; }
    [[nodiscard]] std::size_t awaited() const { return awaited_; }
    /// The highest generation that is held back; none when recovery is over.
    [[nodiscard]] std::optional<Generation> held_back() const;
    [[nodiscard]] bool may_be_lost(Instant now, const Node& node) const;
    [[nodiscard]] Instant grace_ends() const { return grace_ends_; }

private:
    friend struct CoreFields;

    NodeRegistry& nodes_;
    Instant grace_ends_;
    Generation counter_;
    std::size_t awaited_ = 0;
    bool runs_ = true;
};

}  // namespace muster::coordinator
