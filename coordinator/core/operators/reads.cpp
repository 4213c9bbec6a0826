#include "coordinator/core/operators/reads.hpp"

#include <utility>
#include <variant>

#include "coordinator/core/queries/lists/listing.hpp"
#include "coordinator/core/queries/queries.hpp"
#include "coordinator/core/queries/selector.hpp"
#include "coordinator/core/queries/what_if.hpp"

namespace muster::coordinator {

namespace {

template <class Reply>
Result<ReplyBody> as_body(Result<Reply> reply) {
    return reply ? Result<ReplyBody>{*std::move(reply)} : tl::unexpected{reply.error()};
}

}  // namespace

bool is_query(const CoreRequestBody& request) {
    return std::visit(
        []<class Request>(const Request& /*request*/) {
            return requires(const Facts& facts, const Request& asked) { answer(facts, asked); };
        },
        request);
}

Result<ReplyBody> answer(const Facts& facts, const PingRequest& /*request*/) {
    const Meta& meta = facts.ledger.meta();
    return ReplyBody{PingReply{facts.options.version, meta.cluster, meta.epoch}};
}

Result<ReplyBody> answer(const Facts& facts, const StatusRequest& /*request*/) {
    return ReplyBody{status(facts)};
}

Result<ReplyBody> answer(const Facts& facts, const StatsRequest& /*request*/) {
    return ReplyBody{stats(facts)};
}

Result<ReplyBody> answer(const Facts& facts, const ReportedRequest& request) {
    return reported(facts, request.pattern);
}

Result<ReplyBody> answer(const Facts& facts, const NodeListRequest& request) {
    return list_all(facts, *Listing::of(request));
}

Result<ReplyBody> answer(const Facts& facts, const NodeShowRequest& request) {
    return show_node(facts, request.name);
}

Result<ReplyBody> answer(const Facts& facts, const TaskListRequest& request) {
    return list_all(facts, *Listing::of(request));
}

Result<ReplyBody> answer(const Facts& facts, const TaskShowRequest& request) {
    return show_task(facts, request.name);
}

Result<ReplyBody> answer(const Facts& facts, const GroupListRequest& request) {
    return list_groups(facts, request.pattern);
}

Result<ReplyBody> answer(const Facts& facts, const GroupShowRequest& request) {
    return show_group(facts, request.name);
}

Result<ReplyBody> answer(const Facts& facts, const EventsRequest& request) {
    return ReplyBody{facts.events.since(request.since, request.limit)};
}

Result<ReplyBody> answer(const Facts& facts, const ExplainRequest& request) {
    return as_body(explain(facts, request));
}

Result<ReplyBody> answer(const Facts& facts, const PlanRequest& request) {
    if (facts.liveness.recovery().runs()) {
        return fail(Errc::refused,
                    "it is not yet known what runs, so nothing can be said "
                    "of what would be; ask again after the recovery");
    }
    const auto failing = select_nodes(facts.copies.placements, request.fail);
    if (!failing) {
        return tl::unexpected{failing.error()};
    }
    auto reply = what_if(facts.now, facts.copies.workload, facts.copies.placements, facts.planner(),
                         facts.options.rebalance, *failing, request);
    if (reply) {
        reply->freeze = facts.freeze.with_failing(*failing);
    }
    return as_body(std::move(reply));
}

}  // namespace muster::coordinator
