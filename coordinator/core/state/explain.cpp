#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/notes.hpp"
#include "coordinator/core/queries/selector.hpp"
#include "coordinator/core/queries/what_if.hpp"
#include "coordinator/core/state/state.hpp"

/// Why something is where it is. Nothing here changes anything.
namespace muster::coordinator {

namespace {

constexpr std::size_t decisions_shown = 20;

/// Scores as they would be without the instance: one less on its home, and for the label of every
/// node `beside` it.
void leave_out(std::vector<NodeVerdict>& all, NodeIndex home, auto beside) {
    for (NodeVerdict& one : all) {
        one.score.spread -= beside(one.node) ? std::min(one.score.spread, 1U) : 0U;
        one.score.load -= one.node == home ? std::min(one.score.load, 1U) : 0U;
    }
}

/// The same for the node that runs it, if that runs nothing else of any group: it is at its best.
void leave_out_group(std::vector<NodeVerdict>& all, NodeIndex at) {
    const auto found = std::ranges::find(all, at, &NodeVerdict::node);
    if (found != all.end()) {
        found->score.affinity = 0;
    }
}

}  // namespace

Result<ExplainReply> State::explain_instance(Instant now, const std::string& name) const {
    const auto id = parse_instance(name);
    if (!id) {
        return fail(Errc::invalid, "'" + name +
                                       "' is no instance; write its task and its number, "
                                       "as in web.3");
    }
    const auto task = workload.find(id->task);
    if (!task || !workload[*task].wanted) {
        return fail(Errc::not_found,
                    "no task is called '" + id->task + "'; see 'muster task list'");
    }
    const auto everywhere = planner.whereabouts(*task);
    if (id->ordinal >= everywhere.size()) {  // Of a task of every node, as many as have had one.
        return fail(Errc::not_found, "task '" + id->task + "' has " +
                                         std::to_string(everywhere.size()) +
                                         " instances, numbered from 0");
    }
    ExplainReply reply;
    reply.subject = Subject::instance;
    reply.name = name;
    reply.decisions = history.of_instance(*id, decisions_shown);
    auto all = planner.verdicts(*task, id->ordinal);
    const auto& whereabouts = everywhere[id->ordinal];
    const auto copy = planner.instance(*task, id->ordinal);
    reply.state = copy.state;
    reply.since = whereabouts.runs           ? copy.started
                  : !reply.decisions.empty() ? reply.decisions.front().at
                                             : CivilMs{};
    if (whereabouts.at) {
        reply.node = nodes[*whereabouts.at].name;
    }
    const std::string_view missing =
        whereabouts.at ? std::string_view{} : planner.why_missing(*task, id->ordinal);
    if (whereabouts.home && missing.empty()) {
        const std::string& key = workload[*task].place.spread;
        const auto value_on = [&](NodeIndex node) -> std::string {
            const auto& labels = placements.offer(node).labels;
            const auto found = labels.find(key);
            return found == labels.end() ? "" : found->second;
        };
        const std::string value = value_on(*whereabouts.home);
        leave_out(all, *whereabouts.home, [&](NodeIndex node) { return value_on(node) == value; });
        const Groups& groups = planner.groups();
        const NodeIndex runs_on = whereabouts.at.value_or(*whereabouts.home);
        if (groups.runs_one_only(runs_on, *task) &&
            groups.warm_for(runs_on) == workload[*task].place.group) {
            leave_out_group(all, runs_on);
        }
        reply.verdicts = views_of(all, whereabouts.home);
        explain_home(now, *task, id->ordinal, whereabouts, all, reply);
    } else {
        reply.verdicts = views_of(all, std::nullopt);
        reply.decided_by = missing;
        reply.detail = why_short(reply.decided_by, reply.verdicts);
        if (const auto hold = leases.hold_of(now, *id); missing == lease_code && hold) {
            reply.detail = told_hold(*hold, hold->until - now);
        }
    }
    return reply;
}

// What becomes of a task is told when it is converged, unplaced or failed, and of an operator's
// change; of the rest it is not known since when it is so.
CivilMs State::phase_since(const std::string& task, std::string_view phase) const {
    constexpr std::array told{"converged", "unplaced", "failed"};
    const bool is_told = std::ranges::find(told, phase) != told.end();
    for (const Event& event : events.of_name(task, "task.", 1)) {
        const auto what = std::string_view{event.topic}.substr(std::string_view{"task."}.size());
        const bool tells_phase = std::ranges::find(told, what) != told.end();
        if (is_told ? what == phase : !tells_phase) {
            return event.at;
        }
    }
    return CivilMs{};
}

Result<ExplainReply> State::explain_task(const std::string& name) const {
    const auto task = workload.find(name);
    if (!task || !workload[*task].wanted) {
        return fail(Errc::not_found, "no task is called '" + name + "'; see 'muster task list'");
    }
    const TaskStatus status = planner.status(*task);
    ExplainReply reply;
    reply.subject = Subject::task;
    reply.name = name;
    reply.state = to_string(status.phase);
    // An ordinal above all that are wanted is one more.
    reply.verdicts = views_of(planner.verdicts(*task, workload[*task].instances), std::nullopt);
    reply.decisions = history.of_task(name, decisions_shown);
    reply.since = phase_since(name, reply.state);
    if (const Shortage largest = status.shortage(); largest.count > 0) {
        reply.decided_by = largest.code;
        reply.detail = why_short(reply.decided_by, reply.verdicts);
    }
    return reply;
}

Result<ExplainReply> State::explain_node(const std::string& name) const {
    const auto index = nodes.find(name);
    if (!index) {
        return fail(Errc::not_found, "no node is called '" + name + "'; see 'muster node list'");
    }
    const Node& node = nodes[*index];
    ExplainReply reply;
    reply.subject = Subject::node;
    reply.name = name;
    const bool serves = placements.is_serving(*index);
    reply.state = serves ? "serving" : "not serving";
    reply.decided_by = serves ? "serving" : why_not_serving(node);
    reply.detail = note_of(node);
    if (reply.decided_by == to_string(node.intent)) {
        const StoredIntent row = intents.durable(name);
        reply.detail =
            told_cause(row.author, row.reason) + (reply.detail.empty() ? "" : "; " + reply.detail);
    }
    for (const Event& event : events.of_name(name, "node.", decisions_shown)) {
        reply.decisions.push_back({.at = event.at,
                                   .what = event.topic,
                                   .name = event.name,
                                   .node = event.name,
                                   .cause = event.detail});
    }
    reply.since = node.since;
    auto orders = history.on_node(name, decisions_shown);
    reply.decisions.insert(reply.decisions.end(), std::make_move_iterator(orders.begin()),
                           std::make_move_iterator(orders.end()));
    std::ranges::stable_sort(
        reply.decisions, [](const DecisionView& a, const DecisionView& b) { return a.at > b.at; });
    return reply;
}

void State::ask(const Asked& asked, const ExplainRequest& request) const {
    Result<ExplainReply> reply;
    switch (request.subject) {
        case Subject::instance: reply = explain_instance(asked.now, request.name); break;
        case Subject::task: reply = explain_task(request.name); break;
        case Subject::node: reply = explain_node(request.name); break;
    }
    answer(asked, reply ? Result<ReplyBody>{*std::move(reply)} : tl::unexpected{reply.error()});
}

void State::ask(const Asked& asked, const RebalanceRequest& /*request*/) {
    if (options.rebalance == Rebalance::off) {
        answer(asked, fail(Errc::refused,
                           "rebalance is off in the coordinator's configuration; "
                           "with on-demand it would be done now"));
        return;
    }
    if (freeze.is_on()) {
        answer(asked, fail(Errc::refused,
                           "the cluster is frozen, and nothing is moved; see 'muster freeze "
                           "show', and ask again when it is over"));
        return;
    }
    rebalance_asked = true;
    answer(asked, ReplyBody{RebalanceReply{terms.current()}});
}

void State::ask(const Asked& asked, const PlanRequest& request) const {
    if (recovery.runs()) {
        answer(asked, fail(Errc::refused,
                           "it is not yet known what runs, so nothing can be said "
                           "of what would be; ask again after the recovery"));
        return;
    }
    const auto failing = select_nodes(placements, request.fail);
    if (!failing) {
        answer(asked, tl::unexpected{failing.error()});
        return;
    }
    auto reply =
        what_if(asked.now, workload, placements, planner, options.rebalance, *failing, request);
    if (reply) {
        reply->freeze = freeze_with(*failing);
    }
    answer(asked, reply ? Result<ReplyBody>{*std::move(reply)} : tl::unexpected{reply.error()});
}

}  // namespace muster::coordinator
