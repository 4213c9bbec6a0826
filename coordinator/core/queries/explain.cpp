#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/base/limits.hpp"
#include "coordinator/core/nodes/notes.hpp"
#include "coordinator/core/planning/notes.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/queries/explain_home.hpp"
#include "coordinator/core/queries/queries.hpp"
#include "coordinator/core/queries/unconfirmed.hpp"

namespace muster::coordinator {

namespace {

constexpr std::size_t decisions_shown = 20;

/// Scores as they would be without the instance: one less on its node, and for the label of every
/// node `beside` it.
void leave_out(std::vector<NodeVerdict>& all, NodeIndex home, auto beside) {
    for (NodeVerdict& one : all) {
        one.score.spread -= beside(one.node) ? std::min(one.score.spread, 1U) : 0U;
        one.score.load -= one.node == home ? std::min(one.score.load, 1U) : 0U;
    }
}

/// The same for the affinity of its node, if the node runs nothing else of any group.
void leave_out_group(std::vector<NodeVerdict>& all, NodeIndex at) {
    const auto found = std::ranges::find(all, at, &NodeVerdict::node);
    if (found != all.end()) {
        found->score.affinity = 0;
    }
}

/// When the state began. On a lost node: when the node was lost. If the instance does not run: its
/// last order.
CivilMs instance_since(const Facts& facts, TaskIndex task, const InstanceView& copy, bool runs) {
    if (copy.state == "unknown") {
        const auto node = facts.nodes.find(copy.node);
        return node ? facts.nodes[*node].since : CivilMs{};
    }
    return runs ? copy.started
                : facts.planning.instants().ordered(task, facts.copies.workload[task],
                                                    copy.id.ordinal);
}

/// For a copy of an older generation: why it has not been replaced yet.
void add_roll_out(const Facts& facts, TaskIndex task, const InstanceView& copy,
                  ExplainReply& reply) {
    const Generation wanted = facts.copies.workload[task].generation;
    if (copy.generation == Generation{} || copy.generation >= wanted) {
        return;
    }
    const std::string halt = describe_halt(facts.copies.workload, facts.planner(), task);
    reply.detail += "; it is of generation " + std::to_string(raw(copy.generation)) +
                    " and will be replaced by generation " + std::to_string(raw(wanted)) +
                    (halt.empty() ? "" : ", but " + halt);
    if (!copy.detail.empty() && reply.detail.find(copy.detail) == std::string::npos) {
        reply.detail += "; " + copy.detail;  // Such as why its replacement was refused.
    }
}

/// The copy ended before min_healthy, and the roll-out of its task is halted.
bool is_halting(const Facts& facts, TaskIndex index, Ordinal ordinal) {
    const Task& task = facts.copies.workload[index];
    const Copy* const kept =
        find_kept(facts.copies.workload, facts.copies.placements, index, ordinal);
    return kept != nullptr && halts_roll_out(*kept, task) &&
           facts.planner().status(index).halted_by.has_value();
}

/// One instance of a wanted task.
struct NamedInstance {
    InstanceId id;
    TaskIndex task{};
    InstanceLocation location;
};

Result<NamedInstance> find_instance(const Facts& facts, const std::string& name) {
    const auto id = parse_instance(name);
    if (!id) {
        return fail(Errc::invalid, "'" + name +
                                       "' is not an instance; write its task and its number, "
                                       "as in web.3");
    }
    const auto task = facts.copies.workload.find(id->task);
    if (!task || !facts.copies.workload[*task].wanted) {
        return fail(Errc::not_found,
                    "no task is called '" + id->task + "'; see 'muster task list'");
    }
    const auto everywhere = facts.planner().locations(*task);
    if (id->ordinal >= everywhere.size()) {  // With every_node, as many as were ever bound.
        return fail(Errc::not_found, "task '" + id->task + "' has " +
                                         std::to_string(everywhere.size()) +
                                         " instances, numbered from 0");
    }
    return NamedInstance{*id, *task, everywhere[id->ordinal]};
}

/// The verdicts for an instance with the scores as they would be without it.
std::vector<NodeVerdict> verdicts_without(const Facts& facts, const NamedInstance& instance,
                                          NodeIndex home) {
    auto all = facts.planner().verdicts(instance.task, instance.id.ordinal);
    const auto& place = facts.copies.workload[instance.task].place;
    const auto value_on = [&](NodeIndex node) -> std::string {
        const auto& labels = facts.copies.placements.nodes().offer(node).labels;
        const auto found = labels.find(place.spread);
        return found == labels.end() ? "" : found->second;
    };
    const std::string value = value_on(home);
    leave_out(all, home, [&](NodeIndex node) { return value_on(node) == value; });
    const Groups& groups = facts.planner().groups();
    const NodeIndex runs_on = instance.location.at.value_or(home);
    if (groups.runs_one_only(runs_on, instance.task) && groups.warm_for(runs_on) == place.group) {
        leave_out_group(all, runs_on);
    }
    return all;
}

/// Why the instance is on its home, and what waits there.
void explain_placed(const Facts& facts, const NamedInstance& instance, const InstanceView& copy,
                    NodeIndex home, ExplainReply& reply) {
    const auto& [id, task, location] = instance;
    const auto all = verdicts_without(facts, instance, home);
    reply.verdicts = facts.reasons().views_of(task, all, home);
    explain_home(facts, task, id.ordinal, location, all, reply);
    add_roll_out(facts, task, copy, reply);
    const std::string why = location.at ? why_unconfirmed(facts, *location.at) : std::string{};
    reply.detail = why + (why.empty() ? "" : "; ") + reply.detail;
    if (is_halting(facts, task, id.ordinal)) {
        reply.decided_by = "halted";
        reply.detail = describe_halt(facts.copies.workload, facts.planner(), task, id.ordinal) +
                       "; " + reply.detail;
    }
}

/// Why the instance has no home, or is missing on it.
void explain_missing(const Facts& facts, const NamedInstance& instance, const InstanceView& copy,
                     Obstacle missing, ExplainReply& reply) {
    const auto& [id, task, location] = instance;
    reply.verdicts =
        facts.reasons().views_of(task, facts.planner().verdicts(task, id.ordinal), std::nullopt);
    reply.decided_by = to_string(missing);
    reply.detail = why_short(missing, count_verdicts(reply.verdicts));
    if (facts.copies.workload[task].has_ended_well(id.ordinal)) {
        reply.decided_by = "ended";
        reply.detail = copy.detail;
    }
    if (const auto hold = facts.copies.leases.hold_of(facts.now, id);
        missing == Obstacle::lease && hold) {
        reply.detail = describe_hold(*hold, hold->until - facts.now);
    }
}

Result<ExplainReply> explain_instance(const Facts& facts, const std::string& name) {
    const auto instance = find_instance(facts, name);
    if (!instance) {
        return tl::unexpected{instance.error()};
    }
    const auto& [id, task, location] = *instance;
    auto copy = facts.planner().instance(task, id.ordinal);
    add_node_note(facts, copy);
    ExplainReply reply;
    reply.subject = Subject::instance;
    reply.name = name;
    reply.decisions = facts.planning.history().of_instance(id, decisions_shown);
    reply.state = copy.state;
    reply.since = instance_since(facts, task, copy, location.runs);
    if (location.at) {
        reply.node = facts.nodes[*location.at].name;
    }
    const Obstacle missing =
        location.at ? Obstacle::none : facts.planner().why_missing(task, id.ordinal);
    if (location.home && missing == Obstacle::none) {
        explain_placed(facts, *instance, copy, *location.home, reply);
    } else {
        explain_missing(facts, *instance, copy, missing, reply);
    }
    return reply;
}

// Events report when a task converges, becomes unplaced, halts or fails, and when an operator
// changes it. The last event is used where no phase was noted yet.
CivilMs phase_since(const Facts& facts, TaskIndex index, TaskPhase phase) {
    const Task& task = facts.copies.workload[index];
    const CivilMs kept = facts.planning.instants().phase_since(index, task, phase);
    if (kept != CivilMs{}) {
        return kept;
    }
    constexpr std::array phases{"task.converged", "task.unplaced", "task.failed", "task.halted"};
    const auto last = facts.events.of_name(task.name, "task.", 1);
    return last.empty() || std::ranges::find(phases, last.front().topic) != phases.end()
               ? CivilMs{}
               : last.front().at;
}

Result<ExplainReply> explain_task(const Facts& facts, const std::string& name) {
    const auto task = facts.copies.workload.find(name);
    if (!task || !facts.copies.workload[*task].wanted) {
        return fail(Errc::not_found, "no task is called '" + name + "'; see 'muster task list'");
    }
    const TaskStatus status = facts.planner().status(*task);
    ExplainReply reply;
    reply.subject = Subject::task;
    reply.name = name;
    reply.state = to_string(status.phase);
    // An ordinal above all wanted ones stands for one more instance.
    reply.verdicts = facts.reasons().views_of(
        *task, facts.planner().verdicts(*task, facts.copies.workload[*task].instances),
        std::nullopt);
    reply.decisions = facts.planning.history().of_task(name, decisions_shown);
    reply.since = phase_since(facts, *task, status.phase);
    std::vector<std::string> because;
    if (status.halted_by) {
        reply.decided_by = "halted";
        because.push_back(describe_halt(facts.copies.workload, facts.planner(), *task));
    }
    if (status.rolling > 0 || status.halted_by) {
        because.push_back("updated " + std::to_string(status.updated) + " of " +
                          std::to_string(status.wanted));
    }
    if (const Shortage largest = status.shortage(); largest.count > 0) {
        reply.decided_by = to_string(largest.code);
        because.push_back(why_short(largest.code, count_verdicts(reply.verdicts)));
    }
    reply.detail = joined(because, "; ");
    return reply;
}

Result<ExplainReply> explain_node(const Facts& facts, const std::string& name) {
    const auto index = facts.nodes.find(name);
    if (!index) {
        return fail(Errc::not_found, "no node is called '" + name + "'; see 'muster node list'");
    }
    const Node& node = facts.nodes[*index];
    ExplainReply reply;
    reply.subject = Subject::node;
    reply.name = name;
    const bool serves = facts.copies.placements.nodes().is_serving(*index);
    reply.state = serves ? "serving" : "not serving";
    reply.decided_by = serves ? "serving" : why_not_serving(node);
    reply.detail = describe_node(node);
    if (reply.decided_by == to_string(node.intent)) {
        const StoredIntent row = facts.ledger.intents().durable(name);
        reply.detail = describe_cause(row.author, row.reason) +
                       (reply.detail.empty() ? "" : "; " + reply.detail);
    }
    for (const Event& event : facts.events.of_name(name, "node.", decisions_shown)) {
        reply.decisions.push_back({.at = event.at,
                                   .what = event.topic,
                                   .name = event.name,
                                   .node = event.name,
                                   .cause = event.detail});
    }
    reply.since = node.since;
    auto orders = facts.planning.history().on_node(name, decisions_shown);
    reply.decisions.insert(reply.decisions.end(), std::make_move_iterator(orders.begin()),
                           std::make_move_iterator(orders.end()));
    std::ranges::stable_sort(
        reply.decisions, [](const DecisionView& a, const DecisionView& b) { return a.at > b.at; });
    return reply;
}

/// The kind of the only thing with this name. The error lists all kinds with this name.
Result<Subject> subject_of(const Facts& facts, const std::string& name) {
    const auto is_task = [&](const std::string& of) {
        const auto task = facts.copies.workload.find(of);
        return task && facts.copies.workload[*task].wanted;
    };
    std::vector<Subject> found;
    if (const auto id = parse_instance(name); id && is_task(id->task)) {
        found.push_back(Subject::instance);
    }
    if (is_task(name)) {
        found.push_back(Subject::task);
    }
    if (facts.nodes.find(name)) {
        found.push_back(Subject::node);
    }
    if (facts.ledger.pools().rows().find(name) != nullptr) {
        found.push_back(Subject::pool);
    }
    if (found.size() == 1) {
        return found.front();
    }
    if (found.empty()) {
        return fail(Errc::not_found, "no task, instance, node or pool is called '" + name +
                                         "'; see 'muster task list' and 'muster node list'");
    }
    const auto ways = joined(found, " or ", [&](Subject subject) {
        return "'muster explain " + std::string{to_string(subject)} + ' ' + name + '\'';
    });
    return fail(Errc::invalid, "'" + name + "' is the name of more than one thing; write " + ways);
}

}  // namespace

Result<ExplainReply> explain(const Facts& facts, const ExplainRequest& request) {
    switch (request.subject) {
        case Subject::any:
            return subject_of(facts, request.name).and_then([&](Subject subject) {
                return explain(facts, {subject, request.name});
            });
        case Subject::instance: return explain_instance(facts, request.name);
        case Subject::task: return explain_task(facts, request.name);
        case Subject::node: return explain_node(facts, request.name);
        case Subject::pool: return explain_pool(facts, request.name);
    }
    return fail(Errc::invalid, "only an instance, a task, a node or a pool can be explained");
}

}  // namespace muster::coordinator
