#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/queries/queries.hpp"

namespace muster::coordinator {

namespace {

constexpr std::size_t events_shown = 20;

PoolNodeView view_of(const PoolNode& node) {
    return {.node = node.is_slot() ? std::string{} : node.row.name,
            .state = std::string{state_of(node)},
            .request = node.row.request,
            .since = node.row.since,
            .amount = node.counts ? node.amount : 0,
            .instances = node.instances};
}

PoolDecisionView view_of(const PoolDecision& decision) {
    return {.at = decision.at,
            .reason = decision.code,
            .detail = decision.detail,
            .demand = decision.demand,
            .derived = decision.derived,
            .wanted = decision.wanted,
            .capacity = decision.capacity,
            .nodes = decision.nodes,
            .up = decision.up,
            .down = decision.down};
}

tl::unexpected<Error> no_such_pool(const std::string& name) {
    return fail(Errc::not_found, "there is no such pool: '" + name +
                                     "' has no definition, no nodes and no demand; see 'muster "
                                     "pool list'");
}

bool is_known(const Facts& facts, const std::string& name, const std::vector<PoolNode>& nodes) {
    return !nodes.empty() || facts.ledger.pools().rows().find(name) != nullptr ||
           facts.demand.pools().contains(name);
}

}  // namespace

Result<ReplyBody> show_pool(const Facts& facts, const std::string& name) {
    const auto nodes = facts.scaling.nodes_of(name);
    if (!is_known(facts, name, nodes)) {
        return no_such_pool(name);
    }
    PoolShowReply reply{.name = name};
    if (const StoredPool* const pool = facts.ledger.pools().rows().find(name)) {
        reply.defined = true;
        reply.paused = pool->paused;
        reply.spec = pool->spec;
        reply.author = pool->author;
        reply.since = pool->since;
        reply.alarm = facts.scaling.alarm_of(name);
    }
    if (const PoolDecision* const decision = facts.scaling.decision_of(name)) {
        reply.decision = view_of(*decision);
    }
    for (const PoolNode& node : nodes) {
        reply.nodes.push_back(view_of(node));
    }
    return ReplyBody{std::move(reply)};
}

Result<ReplyBody> list_members(const Facts& facts, const PoolMembersRequest& request) {
    const Members::OfPool* const members = facts.scaling.members().find(request.name);
    if (members == nullptr &&
        !is_known(facts, request.name, facts.scaling.nodes_of(request.name))) {
        return no_such_pool(request.name);
    }
    if (members == nullptr) {
        return fail(Errc::busy,
                    "it is not known yet which nodes of the pool serve, or the pool has no "
                    "definition; keep the members that you know, and ask again");
    }
    PoolMembersReply reply{
        .name = request.name, .epoch = raw(facts.ledger.meta().epoch), .version = members->version};
    const bool is_known_since = request.epoch == reply.epoch &&
                                request.version >= members->left_known_since &&
                                request.version <= members->version;
    reply.since = is_known_since ? request.version : 0;
    for (const auto& [member, in_version] : members->nodes) {
        if (in_version > reply.since) {
            reply.members.push_back({member.node, member.address, member.amount});
        }
    }
    for (const auto& [node, in_version] : members->left) {
        if (reply.since > 0 && in_version > reply.since) {
            reply.left.push_back(node);
        }
    }
    return ReplyBody{std::move(reply)};
}

Result<ExplainReply> explain_pool(const Facts& facts, const std::string& name) {
    const auto nodes = facts.scaling.nodes_of(name);
    if (!is_known(facts, name, nodes)) {
        return no_such_pool(name);
    }
    ExplainReply reply;
    reply.subject = Subject::pool;
    reply.name = name;
    const PoolDecision* const decision = facts.scaling.decision_of(name);
    if (decision == nullptr) {
        reply.state = "undefined";
        reply.decided_by = "undefined";
        reply.detail =
            "it has no definition, so nothing changes its size; 'muster pool create' "
            "makes one";
    } else {
        const auto is_any = [&](std::initializer_list<PoolNodeState> states) {
            return std::ranges::any_of(nodes, [&](const PoolNode& node) {
                return node.is_provided &&
                       std::ranges::find(states, node.row.state) != states.end();
            });
        };
        reply.state = is_any({PoolNodeState::requested})                           ? "growing"
                      : is_any({PoolNodeState::draining, PoolNodeState::removing}) ? "shrinking"
                                                                                   : "steady";
        reply.since = decision->at;
        reply.decided_by = decision->code;
        reply.detail = decision->detail;
        if (const std::string alarm = facts.scaling.alarm_of(name);
            !alarm.empty() && decision->detail.find(alarm) == std::string::npos) {
            reply.detail += "; " + alarm;
        }
    }
    for (const Event& event : facts.events.of_name(name, "pool.", events_shown)) {
        reply.decisions.push_back(
            {.at = event.at, .what = event.topic, .name = name, .node = {}, .cause = event.detail});
    }
    return reply;
}

std::vector<std::string> pool_alarms(const Facts& facts) {
    constexpr std::size_t most = 3;
    std::vector<std::string> sentences;
    std::size_t others = 0;
    facts.ledger.pools().rows().each([&](std::string_view name, const StoredPool& /*pool*/) {
        const std::string alarm = facts.scaling.alarm_of(std::string{name});
        if (!alarm.empty() && sentences.size() < most) {
            sentences.push_back("pool '" + std::string{name} + "': " + alarm);
        } else {
            others += alarm.empty() ? 0U : 1U;
        }
    });
    if (others > 0) {
        sentences.back() += "; and so are " + std::to_string(others) + " more pools";
    }
    return sentences;
}

}  // namespace muster::coordinator
