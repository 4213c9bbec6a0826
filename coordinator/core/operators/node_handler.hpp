#pragma once

#include "common/base/result.hpp"
#include "common/messages/operator/intents.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/ledger.hpp"
#include "coordinator/core/membership/membership.hpp"
#include "coordinator/core/suspension/suspension.hpp"

namespace muster::coordinator {

/// What operators want of nodes. What follows once it is durable is membership's.
class NodeHandler {
public:
    NodeHandler(Ledger& ledger, const Membership& membership, const Suspension& suspension)
        : ledger_{ledger}, membership_{membership}, suspension_{suspension} {}

    void handle(const RequestContext& context, const NodeOfflineRequest& request);
    void handle(const RequestContext& context, const NodeOnlineRequest& request);
    void handle(const RequestContext& context, const NodeDrainRequest& request);
    void handle(const RequestContext& context, const NodeAddRequest& request);
    void handle(const RequestContext& context, const NodeRemoveRequest& request);
    void handle(const RequestContext& context, const NodeApplyRequest& request);
    void handle(const RequestContext& context, const NodeForgiveRequest& request);

private:
    /// Any of the requests that change what operators want of nodes.
    template <class Request>
    void change(const RequestContext& context, const Request& request, bool dry_run = false);
    /// The nodes whose scores a request clears.
    [[nodiscard]] Result<IntentsWritten> cleared(Instant now, const Fleet& fleet,
                                                 const NodeForgiveRequest& request) const;

    Ledger& ledger_;
    const Membership& membership_;
    const Suspension& suspension_;
};

}  // namespace muster::coordinator
