#include "coordinator/core/nodes/nodes.hpp"

#include <utility>

#include "common/base/ensure.hpp"

namespace muster::coordinator {

bool is_lost(const Node& node) { return node.lost || node.gone; }

std::string_view to_string(Health health) {
    switch (health) {
        case Health::healthy: return "healthy";
        case Health::unready: return "unready";
        case Health::flaky: return "flaky";
        case Health::lost: return "lost";
    }
    return "";
}

std::string_view to_string(Intent intent) {
    switch (intent) {
        case Intent::active: return "active";
        case Intent::draining: return "draining";
        case Intent::offline: return "offline";
    }
    return "";
}

Health health_of(const Node& node) {
    if (is_lost(node)) {
        return Health::lost;
    }
    if (node.penalty_until) {
        return Health::flaky;
    }
    return node.able ? Health::healthy : Health::unready;
}

bool may_serve(const Node& node) {
    return health_of(node) == Health::healthy && node.intent == Intent::active && !node.ahead &&
           !node.durable.ahead;
}

bool is_serving(const Node& node) { return may_serve(node) && !node.passed_over; }

bool is_commandable(const Node& node) {
    return node.session && node.reported && !node.ahead && node.durable == row_of(node);
}

bool is_counted(const Node& node) { return !(node.lost && node.durable.lost); }

bool is_unknown(const Node& node) { return node.from_store && !node.reported; }

// A new leadership waits for a node that left work behind as for one that fell silent.
Recorded row_of(const Node& node) {
    return {.incarnation = node.incarnation,
            .lost = node.lost,
            .gone = node.gone && !node.leaves_work,
            .ahead = node.ahead};
}

Recorded recorded(const StoredNode& row) {
    return {.incarnation = row.incarnation, .lost = row.lost, .gone = row.gone, .ahead = row.ahead};
}

StoredNode stored(const Node& node) {
    return {.name = node.name,
            .incarnation = node.incarnation,
            .lost = node.lost,
            .gone = node.gone && !node.leaves_work,
            .ahead = node.ahead};
}

const Said& said_by(const Node& node) {
    static const Said nothing;
    return node.said ? *node.said : nothing;
}

Said& heard_from(Node& node) {
    if (!node.said) {
        node.said = Boxed{Said{}};
    }
    return *node.said;
}

Nodes::Nodes(std::span<const StoredNode> stored) {
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

std::optional<NodeIndex> Nodes::find(std::string_view name) const {
    // Most that are new come in order, and are after all others.
    if (by_name_.empty() || ByName::name(name) > slots_[raw(*by_name_.rbegin())].name) {
        return std::nullopt;
    }
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional{*found};
}

std::optional<NodeIndex> Nodes::find(Session session) const {
    const auto found = by_session_.find(session);
    return found == by_session_.end() ? std::nullopt : std::optional{found->second};
}

Node& Nodes::operator[](NodeIndex index) {
    ensure(raw(index) < slots_.size(), "a node index lies in the table");
    return slots_[raw(index)];
}

const Node& Nodes::operator[](NodeIndex index) const {
    ensure(raw(index) < slots_.size(), "a node index lies in the table");
    return slots_[raw(index)];
}

NodeIndex Nodes::add(std::string_view name) {
    NodeIndex index{};
    if (free_.empty()) {
        index = static_cast<NodeIndex>(slots_.size());
        slots_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    slots_[raw(index)].name = name;
    const std::size_t others = by_name_.size();
    by_name_.insert(by_name_.end(), index);  // Where those come in order that come together.
    ensure(!name.empty() && by_name_.size() > others, "a node is added once, by a name");
    roll_.grow(slots_.size());
    roll_.set(raw(index));
    touch(index);
    return index;
}

void Nodes::remove(NodeIndex index) {
    detach(index);
    Node& node = slots_[raw(index)];
    ensure(by_name_.erase(index) == 1, "a removed node was in the table");
    const bool listed = node.touched;
    node = Node{};
    node.touched = listed;  // Its place in the list stays; a free slot is passed over there.
    free_.push_back(index);
    roll_.reset(raw(index));
}

void Nodes::attach(NodeIndex index, Session session) {
    Node& node = slots_[raw(index)];
    if (node.session == session) {
        return;
    }
    if (const auto other = find(session)) {
        detach(*other);
    }
    detach(index);
    by_session_.emplace(session, index);
    node.session = session;
    roll_.set(raw(index));
    if (node.silent_routes < silent_routes_borne) {
        ++node.silent_routes;
        node.route_misses = 0;
    }
    touch(index);
}

void Nodes::detach(NodeIndex index) {
    Node& node = slots_[raw(index)];
    if (node.session) {
        by_session_.erase(*node.session);
        node.session.reset();
        touch(index);
    }
}

void Nodes::strike(NodeIndex index) {
    ensure(slots_[raw(index)].lost && !slots_[raw(index)].session, "who may answer is on the roll");
    roll_.reset(raw(index));
}

void Nodes::touch(NodeIndex index) {
    Node& node = slots_[raw(index)];
    if (!node.touched) {
        node.touched = true;
        touched_.push_back(index);
    }
}

std::vector<NodeIndex> Nodes::take_touched() {
    for (const NodeIndex index : touched_) {
        slots_[raw(index)].touched = false;
    }
    return std::exchange(touched_, {});
}

}  // namespace muster::coordinator
