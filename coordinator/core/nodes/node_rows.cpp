#include "coordinator/core/nodes/node_rows.hpp"

namespace muster::coordinator {

std::optional<StoredNode> NodeRows::take_changed(NodeIndex index) {
    const Node& node = nodes_[index];
    // A name that never joined has only its row on the operators' list.
    const bool has_come = node.incarnation != Incarnation{};
    if (has_come && row_of(node) != node.durable && !node.row_pending) {
        nodes_.edit(index, WriteKey<RowFacts>{}).row_pending = true;
        return stored(node);
    }
    return std::nullopt;
}

void NodeRows::on_committed(NodeIndex index, const Recorded& row) {
    RowFacts& facts = nodes_.edit(index, WriteKey<RowFacts>{});
    facts.durable = row;
    facts.row_pending = false;
    nodes_.touch(index);
}

void NodeRows::on_accepted(NodeIndex index, const Recorded& row) {
    nodes_.edit(index, WriteKey<RowFacts>{}).durable = row;
}

void NodeRows::begin_forgetting(NodeIndex index) {
    RowFacts& facts = nodes_.edit(index, WriteKey<RowFacts>{});
    facts.forgetting = true;
    facts.row_pending = true;
}

void NodeRows::end_forgetting(NodeIndex index) {
    nodes_.edit(index, WriteKey<RowFacts>{}).forgetting = false;
}

}  // namespace muster::coordinator
