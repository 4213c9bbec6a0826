#include <algorithm>
#include <utility>

#include "common/base/ensure.hpp"
#include "coordinator/core/membership/membership.hpp"
#include "coordinator/core/nodes/node_rows.hpp"
#include "coordinator/core/nodes/notes.hpp"

/// The records of nodes: they begin, take over operators' decisions, and are deleted.
namespace muster::coordinator {

namespace {

/// A record of a lost node that must stay is checked again after this time.
constexpr Duration kept_for = 1min;

NodeChange change_to(Intent intent, bool drained) {
    switch (intent) {
        case Intent::active: return NodeChange::onlined;
        case Intent::draining: return NodeChange::drain_began;
        case Intent::offline: return drained ? NodeChange::drained : NodeChange::offlined;
    }
    ensure(false, "every intent has a change that leads to it");
    return NodeChange::onlined;
}

}  // namespace

NodeIndex Membership::add_record(std::string_view name) {
    const NodeIndex index = in_.nodes.add(name);
    in_.copies.placements.add_node(index, name);
    in_.freeze.add(index, false);
    in_.room.note_if_full();
    return index;
}

NodeIndex Membership::add_node(const StepContext& step, std::string_view name) {
    const NodeIndex index = add_record(name);
    load_intent(step, index);
    return index;
}

void Membership::remove_node(NodeIndex index, Effects& effects) {
    in_.liveness.rounds().cancel_poll(index);
    conflicts_.end(index);
    in_.liveness.recovery().resolved(index);
    in_.copies.remove_node(index);
    effects.resets.push_back(index);
    effects.departed.push_back(index);
    in_.suspension.forget(index);
    drains_.forget(index);
    pools_.forget(index);
    in_.nodes.remove(index);
}

void Membership::on_durable(StepContext& step, const Change& change, Effects& effects) {
    if (change.origin == ChangeOrigin::records) {
        on_rows(step, change.of<StoredNode>(), effects);
    } else {
        on_decisions(step, change, effects);
    }
    for (const Shared<StoredPoolNode>& row : change.of<StoredPoolNode>().put) {
        refusals_.forget(row->name);
        const auto index = in_.nodes.find(row->name);
        if (index && pools_.update(*index, row->name)) {
            in_.nodes.touch(*index);
            effects.plan_at_least(PlanReason::touched);
        }
    }
    if (!change.of<StoredPool>().empty()) {
        for (const NodeIndex index : pools_.on_defined(in_.nodes)) {
            in_.nodes.touch(index);
            effects.plan_at_least(PlanReason::touched);
        }
    }
}

void Membership::on_rows(StepContext& step, const Rows<StoredNode>& rows, Effects& effects) {
    NodeRows node_rows{in_.nodes};
    for (const Shared<StoredNode>& shared : rows.put) {
        const StoredNode& row = *shared;
        const auto index = in_.nodes.find(row.name);
        if (!index) {
            continue;  // An operator removed it meanwhile.
        }
        node_rows.on_committed(*index, recorded(row));
        if (in_.nodes[*index].lost && row.lost) {
            in_.liveness.recovery().resolved(*index);
            effects.plan_at_least(PlanReason::touched);
        }
    }
    for (const std::string& name : rows.erased) {
        const auto index = in_.nodes.find(name);
        if (!index) {
            continue;
        }
        if (in_.nodes[*index].forgetting) {
            in_.nodes.transition(step, *index, NodeChange::forgotten, "its record was deleted");
            remove_node(*index, effects);
            in_.ledger.forget_node(name);
        } else {
            node_rows.on_committed(*index, Recorded{});
            in_.liveness.expect_return(step.now, *index);
        }
    }
}

void Membership::on_decisions(StepContext& step, const Change& change, Effects& effects) {
    const auto& decided = change.of<StoredIntent>().put;
    const auto& removed = change.of<StoredNode>().erased;
    if (decided.empty() && removed.empty() && change.forgiven.empty()) {
        return;
    }
    for (const Shared<StoredIntent>& row : decided) {
        if (row->admission == Admission::listed) {
            refusals_.forget(row->name);
        }
        if (!std::ranges::binary_search(removed, row->name)) {
            adopt(step, *row, change.origin == ChangeOrigin::drains);
        }
    }
    const std::string cause = describe_cause(change.why.author, change.why.reason);
    for (const std::string& name : removed) {
        remove_name(step, name, cause, effects);
    }
    for (const std::string& name : change.forgiven) {
        if (const auto index = in_.nodes.find(name)) {
            in_.suspension.clear(step, *index, cause);
        }
    }
    effects.plan_at_least(PlanReason::touched);
}

void Membership::load_intent(const StepContext& step, NodeIndex index) {
    const StoredIntent row = in_.ledger.intents().durable(in_.nodes[index].name);
    in_.nodes.adopt(index, row);
    if (!is_default(row)) {
        in_.nodes.count_toward_freeze(index);
    }
    drains_.watch(step, index, row);
}

void Membership::adopt(StepContext& step, const StoredIntent& row, bool drained) {
    const auto known = in_.nodes.find(row.name);
    if (!known && row.admission != Admission::listed) {
        return;
    }
    const NodeIndex index = known ? *known : add_record(row.name);
    const std::string cause = describe_cause(row.author, row.reason);
    if (!known) {
        in_.nodes.transition(step, index, NodeChange::expected, cause);
        in_.nodes.remove_from_poll_set(index);
    } else if (in_.nodes[index].admission != row.admission) {
        in_.nodes.transition(step, index, NodeChange::listed, cause);
    }
    if (in_.nodes[index].intent != row.intent) {
        in_.nodes.transition(step, index, change_to(row.intent, drained), cause);
    }
    pools_.update(index, row.name);
    drains_.watch(step, index, row);
    in_.nodes.count_toward_freeze(index);
    in_.nodes.touch(index);
}

void Membership::remove_name(StepContext& step, const std::string& name, std::string cause,
                             Effects& effects) {
    const auto index = in_.nodes.find(name);
    if (!index) {
        return;
    }
    const Node& node = in_.nodes[*index];
    if (node.session) {
        step.refuse(*node.session, Errc::refused, describe_removed(name));
    }
    in_.nodes.transition(step, *index, NodeChange::removed, std::move(cause));
    const bool row_follows = node.row_pending;
    remove_node(*index, effects);
    if (row_follows) {  // A pending write would create the row again.
        Change change{.origin = ChangeOrigin::records};
        change.of<StoredNode>().erased.push_back(name);
        in_.ledger.submit(std::move(change), step.output);
    }
}

bool Membership::is_kept(NodeIndex index) const {
    const Node& node = in_.nodes[index];
    return node.admission == Admission::listed || node.intent != Intent::active ||
           node.row_pending || !in_.copies.is_empty(index);
}

bool Membership::on_forget_due(StepContext& step, NodeIndex index) {
    if (!is_kept(index)) {
        NodeRows{in_.nodes}.begin_forgetting(index);
        return true;
    }
    if (in_.nodes[index].admission != Admission::listed) {
        in_.nodes.deadlines().set(index, DueKind::forget, step.now + kept_for);
    }
    return false;
}

}  // namespace muster::coordinator
