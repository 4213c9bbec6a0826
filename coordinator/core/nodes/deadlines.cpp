#include "coordinator/core/nodes/deadlines.hpp"

namespace muster::coordinator {

void Deadlines::set(NodeIndex node, DueKind kind, Instant at) {
    end(node, kind);
    of_node_.emplace(std::pair{node, kind}, at);
    queue_.insert({at, node, kind});
}

void Deadlines::end(NodeIndex node, DueKind kind) {
    const auto found = of_node_.find({node, kind});
    if (found != of_node_.end()) {
        queue_.erase({found->second, node, kind});
        of_node_.erase(found);
    }
}

void Deadlines::end_all(NodeIndex node) {
    for (std::size_t kind = 0; kind < due_kinds; ++kind) {
        end(node, static_cast<DueKind>(kind));
    }
}

std::optional<Instant> Deadlines::of(NodeIndex node, DueKind kind) const {
    const auto found = of_node_.find({node, kind});
    return found == of_node_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<Instant> Deadlines::next() const {
    return queue_.empty() ? std::nullopt : std::optional{queue_.begin()->at};
}

std::optional<Deadlines::Due> Deadlines::take_due(Instant now) {
    if (queue_.empty() || queue_.begin()->at > now) {
        return std::nullopt;
    }
    const Due due = *queue_.begin();
    end(due.node, due.kind);
    return due;
}

}  // namespace muster::coordinator
