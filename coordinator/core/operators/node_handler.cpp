#include "coordinator/core/operators/node_handler.hpp"

#include <string>
#include <utility>

#include "coordinator/core/operators/intent_checks.hpp"

namespace muster::coordinator {

void NodeHandler::handle(const RequestContext& context, const ChangesIntents auto& request) {
    bool dry_run = false;
    if constexpr (requires { request.dry_run; }) {
        dry_run = request.dry_run;
    }
    if (dry_run || !ledger_.deduplicate(context)) {
        const FleetView fleet = membership_.fleet(context.step.civil());
        ledger_.submit(context, change_of(request, fleet), dry_run);
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
    if (!ledger_.deduplicate(context)) {
        const FleetView fleet = membership_.fleet(context.step.civil());
        ledger_.submit(context, cleared(context.step.now, fleet, request));
    }
}

}  // namespace muster::coordinator
