#pragma once

#include <optional>

#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The row of each node: the durable facts, and the pending write. A node has at most one pending
/// write.
class NodeRows {
public:
    explicit NodeRows(NodeRegistry& nodes) : nodes_{nodes} {}

    /// The row of the node if the caller must write it now.
    [[nodiscard]] std::optional<StoredNode> take_changed(NodeIndex index);
    /// A write is durable: the store has this row now.
    void on_committed(NodeIndex index, const Recorded& row);
    /// The accepted store has this row. A write of the row may still be pending.
    void on_accepted(NodeIndex index, const Recorded& row);
    /// The caller erases the row of the node.
    void begin_forgetting(NodeIndex index);
    /// The node came back meanwhile.
    void end_forgetting(NodeIndex index);

private:
    NodeRegistry& nodes_;
};

}  // namespace muster::coordinator
