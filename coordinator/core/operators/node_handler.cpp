#include "coordinator/core/operators/node_handler.hpp"

#include <string>
#include <utility>

#include "coordinator/core/operators/intent_changes.hpp"
#include "coordinator/core/operators/intent_checks.hpp"

namespace muster::coordinator {

template <class Request>
void NodeHandler::change(const RequestContext& context, const Request& request, bool dry_run) {
    if (dry_run || !ledger_.deduplicate(context)) {
        const Fleet fleet = membership_.fleet(context.step.civil());
        ledger_.submit(context, change_of(request, fleet), dry_run);
    }
}

Result<IntentsWritten> NodeHandler::cleared(Instant now, const Fleet& fleet,
                                            const NodeForgiveRequest& request) const {
    if (auto sound = check(request.why); !sound) {
        return tl::unexpected{sound.error()};
    }
    const auto names = nodes_matching(request.pattern, fleet);
    if (!names) {
        return tl::unexpected{names.error()};
    }
    IntentsWritten written;
    written.why = request.why;
    for (const std::string& name : *names) {
        const auto known = fleet.nodes.find(name);
        if (!known || !suspension_.has_record(now, *known)) {
            continue;
        }
        const Node& node = fleet.nodes[*known];
        const std::string intent{to_string(node.intent)};
        written.forgiven.push_back(name);
        written.changes.changes.push_back(
            {.node = name,
             .action = "forgive",
             .intent_before = intent,
             .intent_after = intent,
             .detail = node.penalty_until ? "its penalty is over" : "it serves no penalty"});
    }
    if (written.forgiven.empty()) {
        return fail(Errc::refused,
                    names->size() == 1
                        ? "nothing counts against " + names->front()
                        : "nothing counts against any node that matches '" + request.pattern + "'");
    }
    return written;
}

void NodeHandler::handle(const RequestContext& context, const NodeOfflineRequest& request) {
    change(context, request);
}

void NodeHandler::handle(const RequestContext& context, const NodeOnlineRequest& request) {
    change(context, request);
}

void NodeHandler::handle(const RequestContext& context, const NodeDrainRequest& request) {
    change(context, request);
}

void NodeHandler::handle(const RequestContext& context, const NodeAddRequest& request) {
    change(context, request);
}

void NodeHandler::handle(const RequestContext& context, const NodeRemoveRequest& request) {
    change(context, request);
}

void NodeHandler::handle(const RequestContext& context, const NodeApplyRequest& request) {
    change(context, request, request.dry_run);
}

void NodeHandler::handle(const RequestContext& context, const NodeForgiveRequest& request) {
    if (!ledger_.deduplicate(context)) {
        const Fleet fleet = membership_.fleet(context.step.civil());
        ledger_.submit(context, cleared(context.step.now, fleet, request));
    }
}

}  // namespace muster::coordinator
