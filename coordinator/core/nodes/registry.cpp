#include "coordinator/core/nodes/registry.hpp"

#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

NodeRegistry::NodeRegistry(std::span<const StoredNode> stored) {
    for (const StoredNode& row : stored) {
        Node& node = slots_[raw(add(row.name))];
        node.incarnation = row.incarnation;
        node.lost = row.lost;
        node.gone = row.gone;
        node.ahead = row.ahead;
        node.durable = recorded(row);
        node.from_store = true;
    }
}

std::optional<NodeIndex> NodeRegistry::find(std::string_view name) const {
    // Fast path: most new names join in order, after all others.
    if (by_name_.empty() || ByName::name(name) > slots_[raw(*by_name_.rbegin())].name) {
        return std::nullopt;
    }
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional{*found};
}

std::optional<NodeIndex> NodeRegistry::find(Session session) const {
    const auto found = by_session_.find(session);
    return found == by_session_.end() ? std::nullopt : std::optional{found->second};
}

NodeIndex NodeRegistry::add(std::string_view name) {
    NodeIndex index{};
    if (free_.empty()) {
        index = static_cast<NodeIndex>(slots_.size());
        slots_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    Node& node = slots_[raw(index)];
    node.name = name;
    node.issued = node.resolved_up_to = forgotten_sequences_;
    const std::size_t others = by_name_.size();
    by_name_.insert(by_name_.end(), index);  // The hint is right for names that join in order.
    ensure(!name.empty() && by_name_.size() > others, "a node is added once, by a name");
    poll_set_.grow(slots_.size());
    poll_set_.set(raw(index));
    touch(index);
    return index;
}

void NodeRegistry::remove(NodeIndex index) {
    detach(index);
    Node& node = slots_[raw(index)];
    ensure(by_name_.erase(index) == 1, "a removed node was in the table");
    forgotten_sequences_ = std::max(forgotten_sequences_, node.issued);
    deadlines_.end_all(index);
    const bool listed = node.touched;
    node = Node{};
    // Its entry in the list stays, and readers of the list skip a free slot.
    node.touched = listed;
    free_.push_back(index);
    poll_set_.reset(raw(index));
}

void NodeRegistry::attach(NodeIndex index, Session session, const PublicKey& key) {
    Node& node = slots_[raw(index)];
    node.key = key;
    if (node.session == session) {
        return;
    }
    if (const auto other = find(session)) {
        detach(*other);
    }
    detach(index);
    by_session_.emplace(session, index);
    node.session = session;
    poll_set_.set(raw(index));
    touch(index);
}

void NodeRegistry::detach(NodeIndex index) {
    Node& node = slots_[raw(index)];
    if (node.session) {
        by_session_.erase(*node.session);
        node.session.reset();
        touch(index);
    }
}

Sequence NodeRegistry::issue(NodeIndex index) { return at(index).issued = next(at(index).issued); }

void NodeRegistry::issue_above(NodeIndex index, Sequence obeyed) {
    at(index).issued = std::max(at(index).issued, obeyed);
}

void NodeRegistry::remove_from_poll_set(NodeIndex index) {
    ensure(slots_[raw(index)].lost && !slots_[raw(index)].session,
           "a node that may answer is polled");
    poll_set_.reset(raw(index));
}

void NodeRegistry::transition(StepContext& step, NodeIndex index, NodeChange change,
                              std::string cause, std::optional<Instant> until) {
    Node& node = at(index);
    const Health health = health_of(node);
    const Intent intent = node.intent;
    enter(node, change, until);
    if (health_of(node) != health || node.intent != intent) {
        node.since = step.civil();
    }
    ++changes_seen_[static_cast<std::size_t>(change)];
    touch(index);
    step.emit("node." + std::string{transition_of(change).name}, node.name, std::move(cause));
}

void NodeRegistry::expect(NodeIndex index) { enter(at(index), NodeChange::expected, {}); }

void NodeRegistry::adopt(NodeIndex index, const StoredIntent& row) {
    Node& node = at(index);
    node.intent = row.intent;
    node.admission = row.admission;
    node.since = row.since;
}

void NodeRegistry::touch(NodeIndex index) {
    Node& node = slots_[raw(index)];
    if (!node.touched) {
        node.touched = true;
        touched_.push_back(index);
    }
}

std::vector<NodeIndex> NodeRegistry::take_touched(std::size_t most) {
    std::vector<NodeIndex> taken = std::exchange(touched_, {});
    if (taken.size() > most) {
        const auto rest = taken.begin() + static_cast<std::ptrdiff_t>(most);
        touched_.assign(rest, taken.end());
        taken.erase(rest, taken.end());
    }
    for (const NodeIndex index : taken) {
        slots_[raw(index)].touched = false;
    }
    return taken;
}

}  // namespace muster::coordinator
