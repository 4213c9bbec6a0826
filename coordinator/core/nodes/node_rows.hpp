#pragma once

#include <optional>

#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/rows.hpp"

namespace muster::coordinator {

/// The row of each node: what of its facts the store knows, and what is on its way there. A node
/// has one write on its way at most.
class NodeRows {
public:
    explicit NodeRows(NodeRegistry& nodes) : nodes_{nodes} {}

    /// Its row, if it is to be written now. The caller sees to it.
    [[nodiscard]] std::optional<StoredNode> take_changed(NodeIndex index);
    /// A write is durable: this is what the store knows now.
    void on_committed(NodeIndex index, const Recorded& row);
    /// The store was accepted, with this row in it. A write of it may still be on its way.
    void on_accepted(NodeIndex index, const Recorded& row);
    /// Its row is to be erased. The caller sees to it.
    void begin_forgetting(NodeIndex index);
    /// It came back meanwhile.
    void end_forgetting(NodeIndex index);

private:
    NodeRegistry& nodes_;
};

}  // namespace muster::coordinator
