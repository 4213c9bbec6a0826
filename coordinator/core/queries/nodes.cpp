#include <algorithm>
#include <utility>
#include <vector>

#include "coordinator/core/nodes/notes.hpp"
#include "coordinator/core/planning/notes.hpp"
#include "coordinator/core/queries/matching.hpp"
#include "coordinator/core/queries/queries.hpp"
#include "coordinator/core/queries/unconfirmed.hpp"
#include "coordinator/core/workload/views.hpp"

namespace muster::coordinator {

namespace {

/// True if a halted roll-out may be what keeps the obstacle there.
bool may_come_from_halt(Obstacle code) {
    return code == Obstacle::max_surge || code == Obstacle::max_unavailable ||
           code == Obstacle::target_down || code == Obstacle::min_healthy;
}

/// `halt`: why the roll-out of its task is halted; empty: it is not.
std::string describe_blocked(Obstacle code, const std::string& halt) {
    const std::string text{describe_blocker(code)};
    if (halt.empty() || !may_come_from_halt(code)) {
        return text;
    }
    return code == Obstacle::min_healthy ? halt : text + "; " + halt;
}

void add_blockers(const Facts& facts, NodeIndex index, std::vector<DrainBlocker>& to) {
    std::string task;
    std::string halt;  // Of that task: its blockers follow one another.
    for (const Blocker& blocker : facts.planner().blocked_on(index)) {
        if (std::exchange(task, blocker.id.task) != blocker.id.task) {
            const auto of = facts.copies.workload.find(task);
            const bool is_halted = of && facts.planner().halted().contains(*of);
            halt = is_halted ? describe_halt(facts.copies.workload, facts.planner(), *of) : "";
        }
        to.push_back({to_string(blocker.id), std::string{to_string(blocker.code)},
                      describe_blocked(blocker.code, halt)});
    }
}

FlapScoreView flap_score_of(const Facts& facts, NodeIndex index) {
    FlapScoreView view = facts.suspension.view(facts.now, index);
    const Node& node = facts.nodes[index];
    if (node.suspended_until && node.intent != Intent::draining) {
        add_blockers(facts, index, view.blocked_by);
    }
    return view;
}

}  // namespace

NodeView view_of(const Facts& facts, NodeIndex index) {
    const Node& node = facts.nodes[index];
    const auto held = facts.copies.placements.reported().on(index);
    const auto running = std::ranges::count_if(
        held, [](const ReportedInstance& instance) { return may_run(instance.state); });
    const StoredIntent row = facts.ledger.intents().durable(node.name);
    return NodeView{
        .name = node.name,
        .health = is_unconfirmed(node) ? "silent" : std::string{to_string(health_of(node))},
        .note = describe_node(node),
        .incarnation = node.incarnation,
        .instances = static_cast<std::uint32_t>(running),
        .load_milli = facts_of(node).host.load_milli,
        .last_answer = facts_of(node).last_answer,
        .version = facts_of(node).version,
        .intent = std::string{to_string(node.intent)},
        .since = node.since,
        .idle = facts.copies.placements.reported().count(index) == 0,
        .reason = row.reason,
        .author = row.author,
        .warm = std::string{facts.planner().groups().warm_for(index)},
        .missed = node.misses,
        .suspended_until = node.suspended_until ? facts.clock.at(*node.suspended_until) : CivilMs{},
        .overdue = is_past(row, facts.civil()),
        .listed = row.admission == Admission::listed,
        .bad_report = facts_of(node).bad_report};
}

Result<ReplyBody> show_node(const Facts& facts, const std::string& name) {
    const auto index = facts.nodes.find(name);
    if (!index) {
        return fail(Errc::not_found, "no node is called '" + name + "'; see 'muster node list'");
    }
    const AgentFacts& agent = facts_of(facts.nodes[*index]);
    auto instances = views_on(facts.copies.workload, facts.copies.placements, *index);
    for (InstanceView& instance : instances) {
        add_node_note(facts, instance);
    }
    return ReplyBody{NodeShowReply{
        view_of(facts, *index), std::move(instances), facts.copies.placements.nodes().offer(*index),
        drain_of(facts, *index), flap_score_of(facts, *index), agent.limits, agent.capacity_from,
        agent.vitals, agent.clock_ahead}};
}

// The last report of each node, from the last closed round or later.
Result<ReplyBody> reported(const Facts& facts, const std::string& pattern) {
    ReportedReply reply{.round = facts.planning.counters().last.round,
                        .none = facts.planning.counters().last.round == Round{},
                        .nodes = {}};
    if (reply.none) {
        return ReplyBody{std::move(reply)};
    }
    std::vector<std::string> names;
    for (const NodeIndex index : facts.nodes.by_name()) {
        names.push_back(facts.nodes[index].name);
    }
    auto matching = names_matching(pattern, std::move(names));
    if (!matching) {
        return tl::unexpected{matching.error()};
    }
    for (std::string& name : *matching) {
        const NodeIndex index = *facts.nodes.find(name);
        const Node& node = facts.nodes[index];
        if (node.answered_in < reply.round || !node.reported) {
            continue;
        }
        ReportedNode view{.name = std::move(name), .round = node.answered_in, .instances = {}};
        for (InstanceView& instance :
             views_on(facts.copies.workload, facts.copies.placements, index)) {
            if (instance.state != "ordered") {  // Ordered by us, not reported by the node.
                view.instances.push_back(std::move(instance));
            }
        }
        reply.nodes.push_back(std::move(view));
    }
    return ReplyBody{std::move(reply)};
}

DrainView drain_of(const Facts& facts, NodeIndex index) {
    const Node& node = facts.nodes[index];
    const StoredIntent row = facts.ledger.intents().durable(node.name);
    DrainView view;
    if (row.intent != Intent::draining) {
        return view;
    }
    view.running = true;
    view.deadline = row.deadline;
    view.overdue = is_past(row, facts.civil());
    view.force = row.force;
    view.remove = row.remove;
    if (is_lost(node) || node.silent || !node.reported) {
        view.blocked_by.push_back(
            {"", "silent", "the agent does not answer, so it is not known what runs there"});
    }
    add_blockers(facts, index, view.blocked_by);
    if (view.blocked_by.empty() && facts.copies.placements.orders().count(index) > 0) {
        view.blocked_by.push_back(
            {"", "settling", "the agent has not yet reported what became of its last orders"});
    }
    return view;
}

std::string why_overdue(const Facts& facts, NodeIndex index) {
    const DrainView drain = drain_of(facts, index);
    std::string cause = "not empty by its deadline";
    constexpr std::size_t named = 5;
    for (std::size_t at = 0; at < std::min(named, drain.blocked_by.size()); ++at) {
        const DrainBlocker& blocker = drain.blocked_by[at];
        cause += (at == 0 ? ": " : ", ") + blocker.instance +
                 (blocker.instance.empty() ? "" : " ") + blocker.code;
    }
    if (drain.blocked_by.size() > named) {
        cause += " and " + std::to_string(drain.blocked_by.size() - named) + " more";
    }
    return cause;
}

}  // namespace muster::coordinator
