#include "coordinator/core/operators/cluster_handler.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "coordinator/core/operators/intent_checks.hpp"
#include "coordinator/core/queries/queries.hpp"

namespace muster::coordinator {

namespace {

/// True if a node is farther ahead than an old store can explain. Without this bound a faulty node
/// could push our numbers to their maximum.
bool is_beyond_belief(const AheadNode& node, const Meta& ours) {
    constexpr std::uint64_t believed = std::uint64_t{1} << 32U;
    const auto is_beyond = [](auto theirs, auto our) {
        return theirs > our && raw(theirs) - raw(our) > believed;
    };
    return is_beyond(node.epoch, ours.epoch) || is_beyond(node.counter, ours.counter);
}

Result<ReplyBody> as_reply(Result<void> done, ReplyBody body) {
    if (!done) {
        return tl::unexpected{done.error()};
    }
    return body;
}

}  // namespace

// ---- limits ----

void ClusterHandler::handle(const RequestContext& context, const Facts& facts,
                            const LimitListRequest& /*request*/) {
    const auto view = [&](const ClusterLimit& limit) {
        return limit_view(limit, facts.ledger.settings().durable(limit.name).value);
    };
    context.reply(
        ReplyBody{LimitsReply{.counter = facts.ledger.meta().counter,
                              .limits = {view(starts_per_round), view(moves_per_round)}}});
}

void ClusterHandler::handle(const RequestContext& context, const LimitSetRequest& request) {
    if (changes_.deduplicate(context)) {
        return;
    }
    const auto limit = check(request);
    if (!limit) {
        changes_.submit(context, tl::unexpected{limit.error()});
        return;
    }
    Answered answered{.change = {}, .reply = {}};
    const StoredSetting row{request.name, limit_text(request.value)};
    if (changes_.settings().row(row.name) != row) {
        answered.change.of<StoredSetting>().put.emplace_back(row);
    }
    answered.reply = LimitsReply{.limits = {limit_view(**limit, row.value)}};
    changes_.submit(context, std::move(answered));
}

LimitView ClusterHandler::limit_view(const ClusterLimit& limit, std::string_view text) const {
    const auto value = limit_from(text);
    const bool is_of_starts = &limit == &starts_per_round;
    LimitView view{.name = std::string{limit.name}};
    view.value = value;
    view.least = limit.least;
    view.used = is_of_starts ? planning_.begun().starts : planning_.begun().moves;
    view.applies = is_of_starts ? value : std::optional{value.value_or(planning_.usual_moves())};
    view.detail = limit.meaning;
    return view;
}

// ---- the freeze ----

void ClusterHandler::handle(const RequestContext& context, const Facts& facts,
                            const FreezeShowRequest& /*request*/) {
    context.reply(ReplyBody{FreezeReply{facts.ledger.meta().counter, freeze_.view()}});
}

void ClusterHandler::handle(const RequestContext& context, const FreezeOnRequest& request) {
    change_freeze(context, request.why, freeze_.turned_on(context.step.civil(), request.why));
}

void ClusterHandler::handle(const RequestContext& context, const FreezeOffRequest& request) {
    change_freeze(context, request.why, freeze_.turned_off(request.why));
}

void ClusterHandler::change_freeze(const RequestContext& context, const Occasion& why,
                                   Answered answered) {
    if (changes_.deduplicate(context)) {
        return;
    }
    const auto sound = check(why);
    changes_.submit(context,
                    sound ? Result<Answered>{std::move(answered)} : tl::unexpected{sound.error()});
}

// ---- rounds ----

void ClusterHandler::handle(const RequestContext& context, const RebalanceRequest& /*request*/) {
    if (options_.rebalance == Rebalance::off) {
        context.reply(fail(Errc::refused,
                           "rebalance is off in the coordinator's configuration; "
                           "set it to \"on-demand\" or \"auto\" first"));
        return;
    }
    if (freeze_.is_on()) {
        context.reply(fail(Errc::refused,
                           "the cluster is frozen, and nothing is moved; see 'muster freeze "
                           "show', and ask again when the freeze has ended"));
        return;
    }
    planning_.ask_for_balance();
    context.reply(ReplyBody{RebalanceReply{liveness_.rounds().current()}});
}

void ClusterHandler::handle(const RequestContext& context, const RoundNowRequest& /*request*/) {
    liveness_.rounds().expedite(context.step.now);
    context.reply(ReplyBody{RoundReply{next(liveness_.rounds().current())}});
}

// ---- the store ----

void ClusterHandler::handle(const RequestContext& context, const Facts& facts,
                            const StoreAcceptRequest& request) {
    if (!request.dry_run && changes_.deduplicate(context)) {
        return;
    }
    StoreAcceptReply list{.dry_run = request.dry_run, .nodes = ahead_nodes(facts)};
    Meta after = changes_.meta();
    auto taken = propose_accept(list.nodes, after);
    if (request.dry_run || list.nodes.empty() || !taken) {
        context.reply(as_reply(std::move(taken), ReplyBody{std::move(list)}));
        return;
    }
    Change accepted{.origin = ChangeOrigin::accepted_store};
    for (const AheadNode& ahead : list.nodes) {
        if (ahead.left_out.empty()) {
            StoredNode row = stored(nodes_[*nodes_.find(ahead.name)]);
            row.ahead = false;
            accepted.of<StoredNode>().put.emplace_back(std::move(row));
        }
    }
    for (std::string& name : changes_.task_names()) {
        const ProposedTask task = *changes_.tasks().find(name);
        accepted.of<StoredTask>().put.emplace_back(
            StoredTask{.wanted = {std::move(name), task.instances, *task.spec, *task.place},
                       .generation = after.counter,
                       .created = task.created});
    }
    // Another store ordered what runs, perhaps with another key. All of it is of an earlier
    // generation.
    if (proof_rule_from(changes_.settings().row(ProofRule::setting).value)) {
        accepted.of<StoredSetting>().put.emplace_back(
            facts.copies.proofs.rule_after(after.counter));
    }
    changes_.submit(context, {std::move(accepted), std::move(list)}, after);
}

void ClusterHandler::handle(const RequestContext& context, const UpgradeFinishRequest& request) {
    if (!request.dry_run && changes_.deduplicate(context)) {
        return;
    }
    Meta after = changes_.meta();
    UpgradeReply reply{.dry_run = request.dry_run,
                       .before = after.schema,
                       .after = std::max(after.schema, changes_.newest_schema())};
    if (request.dry_run || reply.before == reply.after) {
        changes_.submit(context, Answered{.change = {}, .reply = reply}, request.dry_run);
        return;
    }
    after.schema = reply.after;
    after.counter = next(after.counter);
    reply.counter = after.counter;
    changes_.submit(context, {.change = {}, .reply = reply}, after);
}

void ClusterHandler::handle(const RequestContext& context,
                            const CoordinatorResignRequest& /*request*/) {
    if (changes_.deduplicate(context)) {
        return;
    }
    Answered answered{.change = {.origin = ChangeOrigin::resignation},
                      .reply = CoordinatorsReply{}};
    answered.change.why.author = changes_.actor(context);
    changes_.submit(context, std::move(answered));
}

Result<void> ClusterHandler::propose_accept(std::vector<AheadNode>& ahead, Meta& after) const {
    const Meta before = after;
    const AheadNode* foreign = nullptr;
    bool takes_any = ahead.empty();
    for (AheadNode& node : ahead) {
        if (is_beyond_belief(node, before)) {
            node.left_out = "claims an epoch or a change that no honest agent has seen";
            continue;
        }
        takes_any = true;
        after.epoch = std::max(after.epoch, node.epoch);
        after.counter = std::max(after.counter, node.counter);
        const bool is_there = nodes_[*nodes_.find(node.name)].session.has_value();
        if (!is_there || node.cluster.is_none() || node.cluster == before.cluster) {
            continue;
        }
        if (foreign != nullptr && foreign->cluster != node.cluster) {
            return fail(Errc::refused, foreign->name + " is of cluster " +
                                           to_string(foreign->cluster) + " and " + node.name +
                                           " of " + to_string(node.cluster) +
                                           "; stop the agents of all other clusters but one");
        }
        foreign = &node;
        after.cluster = node.cluster;
    }
    if (!takes_any) {
        return fail(Errc::refused,
                    ahead.front().name + " " + ahead.front().left_out +
                        "; stop its agent, and start it on an empty state directory");
    }
    after.epoch = next(after.epoch);
    after.counter = next(after.counter);
    return {};
}

}  // namespace muster::coordinator
