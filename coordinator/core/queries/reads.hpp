#pragma once

#include <type_traits>
#include <variant>

#include "common/base/result.hpp"
#include "common/messages/operator.hpp"
#include "coordinator/core/queries/lists/listing.hpp"
#include "coordinator/core/queries/queries.hpp"
#include "coordinator/core/queries/selector.hpp"
#include "coordinator/core/queries/what_if.hpp"

namespace muster::coordinator {

/// Requests that change nothing. Each is answered at once from the facts.
struct Reads {
    using Answer = Result<ReplyBody>;
    const Facts& facts;

    Answer operator()(const PingRequest& /*request*/) const {
        const Meta& meta = facts.ledger.meta();
        return ReplyBody{PingReply{facts.options.version, meta.cluster, meta.epoch}};
    }
    Answer operator()(const StatusRequest& /*request*/) const { return status(facts); }
    Answer operator()(const StatsRequest& /*request*/) const { return stats(facts); }
    Answer operator()(const ReportedRequest& request) const {
        return reported(facts, request.pattern);
    }
    Answer operator()(const NodeListRequest& request) const {
        return list_all(facts, *Listing::of(request));
    }
    Answer operator()(const NodeShowRequest& request) const {
        return show_node(facts, request.name);
    }
    Answer operator()(const TaskListRequest& request) const {
        return list_all(facts, *Listing::of(request));
    }
    Answer operator()(const TaskShowRequest& request) const {
        return show_task(facts, request.name);
    }
    Answer operator()(const GroupListRequest& request) const {
        return list_groups(facts, request.pattern);
    }
    Answer operator()(const GroupShowRequest& request) const {
        return show_group(facts, request.name);
    }
    Answer operator()(const DemandListRequest& request) const {
        return list_demand(facts, request.pattern);
    }
    Answer operator()(const PoolListRequest& request) const {
        return list_pools(facts, request.pattern);
    }
    Answer operator()(const PoolForecastRequest& request) const {
        return show_forecast(facts, request.name);
    }
    Answer operator()(const PoolShowRequest& request) const {
        return show_pool(facts, request.name);
    }
    Answer operator()(const PoolMembersRequest& request) const {
        return list_members(facts, request);
    }
    Answer operator()(const EventsRequest& request) const {
        return facts.events.since(request.since, request.limit);
    }
    Answer operator()(const ExplainRequest& request) const { return explain(facts, request); }
    Answer operator()(const PlanRequest& request) const {
        if (facts.liveness.recovery().runs()) {
            return fail(Errc::refused,
                        "it is not known yet what runs, so there is no answer to a "
                        "what-if; ask again after the recovery");
        }
        return select_nodes(facts.copies.placements, request.fail)
            .and_then([&](const std::set<NodeIndex>& failing) {
                auto reply = what_if(facts.now, facts.copies.workload, facts.copies.placements,
                                     facts.planner(), facts.options.rebalance, failing, request);
                if (reply) {
                    reply->freeze = facts.freeze.with_failing(failing);
                }
                return reply;
            });
    }
};

/// True for a request of Reads: equal requests at the same time may get the same answer. Except a
/// plan of the balance, because its answer may have to wait.
[[nodiscard]] inline bool is_query(const CoreRequestBody& request) {
    if (const auto* plan = std::get_if<PlanRequest>(&request)) {
        return !plan->rebalance;
    }
    return std::visit(
        []<class Request>(const Request& /*request*/) {
            return std::is_invocable_v<Reads, const Request&>;
        },
        request);
}

}  // namespace muster::coordinator
