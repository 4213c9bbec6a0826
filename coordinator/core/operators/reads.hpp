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
    Answer operator()(const ReportedRequest& asked) const { return reported(facts, asked.pattern); }
    Answer operator()(const NodeListRequest& asked) const {
        return list_all(facts, *Listing::of(asked));
    }
    Answer operator()(const NodeShowRequest& asked) const { return show_node(facts, asked.name); }
    Answer operator()(const TaskListRequest& asked) const {
        return list_all(facts, *Listing::of(asked));
    }
    Answer operator()(const TaskShowRequest& asked) const { return show_task(facts, asked.name); }
    Answer operator()(const GroupListRequest& asked) const {
        return list_groups(facts, asked.pattern);
    }
    Answer operator()(const GroupShowRequest& asked) const { return show_group(facts, asked.name); }
    Answer operator()(const EventsRequest& asked) const {
        return facts.events.since(asked.since, asked.limit);
    }
    Answer operator()(const ExplainRequest& asked) const { return explain(facts, asked); }
    Answer operator()(const PlanRequest& asked) const {
        if (facts.liveness.recovery().runs()) {
            return fail(Errc::refused,
                        "it is not known yet what runs, so there is no answer to a "
                        "what-if; ask again after the recovery");
        }
        return select_nodes(facts.copies.placements, asked.fail)
            .and_then([&](const std::set<NodeIndex>& failing) {
                auto reply = what_if(facts.now, facts.copies.workload, facts.copies.placements,
                                     facts.planner(), facts.options.rebalance, failing, asked);
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
