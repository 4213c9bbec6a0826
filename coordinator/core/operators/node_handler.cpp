#include "coordinator/core/operators/node_handler.hpp"

#include <string>
#include <utility>

#include "coordinator/core/ledger/scope.hpp"
#include "coordinator/core/operators/intent_checks.hpp"

namespace muster::coordinator {

namespace {

/// The pool of a node as it is, or of a name on the list that never joined.
std::string_view pool_of(const std::string& name, const FleetView& fleet) {
    const auto index = fleet.nodes.find(name);
    return index ? std::string_view{fleet.placements.nodes().offer(*index).pool}
                 : std::string_view{};
}

/// The answer, or the error if the caller may not change one of these nodes.
Result<Answered> within_scope(const StoredKey* by, Result<Answered> answered,
                              const FleetView& fleet, const Intents& intents) {
    if (by == nullptr || !is_limited(*by) || !answered) {
        return answered;
    }
    // Neither may a node be taken to a pool of others, where it would get their tasks.
    for (const auto& row : answered->change.of<StoredIntent>().put) {
        const auto before = intents.find(row->name);
        if (row->pool != (before ? before->pool : "") && !may_change_node(*by, row->pool)) {
            return out_of_scope(*by, "pool", row->pool.empty() ? "that its agent says" : row->pool);
        }
    }
    for (const NodeChangeView& change : std::get<NodesChangeReply>(answered->reply).changes) {
        if (change.action != "unchanged" && !may_change_node(*by, pool_of(change.node, fleet))) {
            return out_of_scope(*by, "node", change.node);
        }
    }
    return answered;
}

}  // namespace

void NodeHandler::handle(const RequestContext& context, const ChangesIntents auto& request) {
    bool dry_run = false;
    if constexpr (requires { request.dry_run; }) {
        dry_run = request.dry_run;
    }
    if (dry_run || !changes_.deduplicate(context)) {
        const FleetView fleet = membership_.fleet(context.step.civil());
        changes_.submit(
            context,
            within_scope(changes_.caller(context), change_of(request, fleet), fleet, fleet.intents),
            dry_run);
    }
}

template void NodeHandler::handle(const RequestContext&, const NodeOfflineRequest&);
template void NodeHandler::handle(const RequestContext&, const NodeOnlineRequest&);
template void NodeHandler::handle(const RequestContext&, const NodeDrainRequest&);
template void NodeHandler::handle(const RequestContext&, const NodeAddRequest&);
template void NodeHandler::handle(const RequestContext&, const NodeRemoveRequest&);
template void NodeHandler::handle(const RequestContext&, const NodeApplyRequest&);

Result<Answered> NodeHandler::cleared(Instant now, const FleetView& fleet,
                                      const NodeForgiveRequest& request) const {
    if (auto sound = check(request.why); !sound) {
        return tl::unexpected{sound.error()};
    }
    const auto names = nodes_matching(request.pattern, fleet);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    Change change{.why = request.why};
    NodesChangeReply reply;
    for (const std::string& name : *names) {
        const auto known = fleet.nodes.find(name);
        if (!known || !suspension_.has_record(now, *known)) {
            continue;
        }
        const Node& node = fleet.nodes[*known];
        const std::string intent{to_string(node.intent)};
        change.forgiven.push_back(name);
        reply.changes.push_back({.node = name,
                                 .action = "forgive",
                                 .intent_before = intent,
                                 .intent_after = intent,
                                 .detail = node.suspended_until ? "its suspension is over"
                                                                : "its flap score is cleared"});
    }
    if (change.forgiven.empty()) {
        return fail(Errc::refused, names->size() == 1
                                       ? "node " + names->front() + " has no flap score to clear"
                                       : "no node that matches '" + request.pattern +
                                             "' has a flap score to clear");
    }
    return Answered{std::move(change), std::move(reply)};
}

void NodeHandler::handle(const RequestContext& context, const NodeForgiveRequest& request) {
    if (!changes_.deduplicate(context)) {
        const FleetView fleet = membership_.fleet(context.step.civil());
        changes_.submit(
            context, within_scope(changes_.caller(context),
                                  cleared(context.step.now, fleet, request), fleet, fleet.intents));
    }
}

}  // namespace muster::coordinator
