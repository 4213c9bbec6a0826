#pragma once

#include "common/base/result.hpp"
#include "common/messages/operator/intents.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/membership/membership.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/operators/intent_changes.hpp"
#include "coordinator/core/suspension/suspension.hpp"

namespace muster::coordinator {

/// Requests about nodes. Membership applies their effects once they are durable.
class NodeHandler {
public:
    NodeHandler(Changes changes, const Membership& membership, const Suspension& suspension)
        : changes_{changes}, membership_{membership}, suspension_{suspension} {}

    void handle(const RequestContext& context, const ChangesIntents auto& request);
    void handle(const RequestContext& context, const NodeForgiveRequest& request);

private:
    /// The change of a request that clears flap scores.
    [[nodiscard]] Result<Answered> cleared(Instant now, const FleetView& fleet,
                                           const NodeForgiveRequest& request) const;

    Changes changes_;
    const Membership& membership_;
    const Suspension& suspension_;
};

}  // namespace muster::coordinator
