#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/events/step_context.hpp"
#include "coordinator/core/ledger/cluster_limits.hpp"
#include "coordinator/core/liveness/freeze_control.hpp"
#include "coordinator/core/liveness/liveness.hpp"
#include "coordinator/core/nodes/registry.hpp"
#include "coordinator/core/operators/changes.hpp"
#include "coordinator/core/options.hpp"
#include "coordinator/core/planning/planning.hpp"
#include "coordinator/core/queries/facts.hpp"

namespace muster::coordinator {

/// Requests about the whole cluster: limits, the freeze, accepting a store, the end of an upgrade,
/// a resignation, and an early round or balance.
class ClusterHandler {
public:
    ClusterHandler(const CoordinatorOptions& options, const NodeRegistry& nodes, Changes changes,
                   Liveness& liveness, const FreezeControl& freeze, Planning& planning)
        : options_{options},
          nodes_{nodes},
          changes_{changes},
          liveness_{liveness},
          freeze_{freeze},
          planning_{planning} {}

    void handle(const RequestContext& context, const Facts& facts, const LimitListRequest& request);
    void handle(const RequestContext& context, const LimitSetRequest& request);
    void handle(const RequestContext& context, const Facts& facts,
                const FreezeShowRequest& request);
    void handle(const RequestContext& context, const FreezeOnRequest& request);
    void handle(const RequestContext& context, const FreezeOffRequest& request);
    void handle(const RequestContext& context, const RebalanceRequest& request);
    void handle(const RequestContext& context, const RoundNowRequest& request);
    void handle(const RequestContext& context, const Facts& facts,
                const StoreAcceptRequest& request);
    void handle(const RequestContext& context, const UpgradeFinishRequest& request);
    void handle(const RequestContext& context, const CoordinatorResignRequest& request);

private:
    void change_freeze(const RequestContext& context, const Occasion& why, Answered answered);
    /// The limit with this text.
    [[nodiscard]] LimitView limit_view(const ClusterLimit& limit, std::string_view text) const;
    /// Computes the Meta above what the nodes ahead know, and marks nodes that are left out. An
    /// error if their stores contradict each other.
    [[nodiscard]] Result<void> propose_accept(std::vector<AheadNode>& ahead, Meta& after) const;

    const CoordinatorOptions& options_;
    const NodeRegistry& nodes_;
    Changes changes_;
    Liveness& liveness_;
    const FreezeControl& freeze_;
    Planning& planning_;
};

}  // namespace muster::coordinator
