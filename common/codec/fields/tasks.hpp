#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/spec.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/explain.hpp"
#include "common/messages/operator/tasks.hpp"

/// The fields of requests about tasks and to tasks. docs/reference/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<TaskListRequest, GroupListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<TaskShowRequest, GroupShowRequest> auto& request) {
    visit("name", request.name, valid_name);
}
void fields(auto& visit, Like<WaitRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("timeout_ms", request.timeout_ms, plain.or_default());
    visit("finished", request.finished, plain.or_default());
}
void fields(auto& visit, Like<ApplyRequest> auto& request) {
    visit("tasks", request.tasks, list(limits::tasks));
    visit("replace", request.replace, plain.or_default());
    visit("dry_run", request.dry_run, plain.or_default());
    visit("force", request.force, plain.or_default());
}
void fields(auto& visit, Like<TaskAddRequest> auto& request) {
    visit("task", request.task, plain);
    visit("force", request.force, plain.or_default());
}
void fields(auto& visit, Like<TaskRemoveRequest, TaskRestartRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
}
void fields(auto& visit, Like<TaskScaleRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("instances", request.instances, plain);
}
void fields(auto& visit, Like<TaskView> auto& task) {
    visit("name", task.name, short_text);
    visit("instances", task.instances, plain);
    visit("running", task.running, plain);
    visit("generation", task.generation, plain);
    visit("state", task.state, short_text);
    visit("detail", task.detail, explanation);
    visit("updated", task.updated, plain.or_default());
    visit("halted", task.halted, plain.or_default());
}

void fields(auto& visit, Like<TaskListReply> auto& reply) {
    visit("tasks", reply.tasks, list(limits::tasks));
}
void fields(auto& visit, Like<WaitReply> auto& reply) {
    visit("tasks", reply.tasks, list(limits::tasks));
    visit("exit_code", reply.exit_code, plain.or_default());
    visit("worst", reply.worst, explanation.or_default());
}

void fields(auto& visit, Like<TaskShowReply> auto& reply) {
    visit("task", reply.task, plain);
    visit("wanted", reply.wanted, plain);
    visit("instances", reply.instances, rows);
    visit("unplaced_reasons", reply.unplaced_reasons, rows);
    visit("verdicts", reply.verdicts, rows.or_default());
}

void fields(auto& visit, Like<TaskChange> auto& change) {
    visit("task", change.task, short_text);
    visit("action", change.action, short_text);
    visit("instances_before", change.instances_before, plain);
    visit("instances_after", change.instances_after, plain);
    visit("fields", change.fields, texts(limits::map_fields, limits::name_bytes));
    visit("generation", change.generation, plain);
    visit("every_node", change.every_node, plain.or_default());
}

void fields(auto& visit, Like<ChangeReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("dry_run", reply.dry_run, plain);
    visit("changes", reply.changes, list(2 * limits::tasks));
}

void fields(auto& visit, Like<GroupView> auto& group) {
    visit("name", group.name, short_text);
    visit("tasks", group.tasks, plain);
    visit("instances", group.instances, plain);
    visit("warm", group.warm, plain);
    visit("idle", group.idle, plain);
}

void fields(auto& visit, Like<GroupListReply> auto& reply) { visit("groups", reply.groups, rows); }

void fields(auto& visit, Like<WarmNodeView> auto& node) {
    visit("node", node.node, short_text);
    visit("idle", node.idle, plain);
    visit("started", node.started, plain);
}

void fields(auto& visit, Like<GroupShowReply> auto& reply) {
    visit("group", reply.group, plain);
    visit("tasks", reply.tasks, texts(limits::reply_rows, limits::name_bytes));
    visit("nodes", reply.nodes, rows);
}

void fields(auto& visit, Like<RebalanceReply> auto& reply) { visit("round", reply.round, plain); }

void fields(auto& visit, Like<ExplainRequest> auto& request) {
    visit("subject", request.subject, plain.or_default());
    visit("name", request.name, name_pattern);
}

void fields(auto& visit, Like<VerdictView> auto& verdict) {
    visit("node", verdict.node, short_text);
    visit("code", verdict.code, short_text);
    visit("detail", verdict.detail, explanation);
    visit("affinity", verdict.affinity, plain);
    visit("spread", verdict.spread, plain);
    visit("load", verdict.load, plain);
    visit("sentence", verdict.sentence, explanation.or_default());
}
void fields(auto& visit, Like<DecisionView> auto& decision) {
    visit("at", decision.at, plain);
    visit("what", decision.what, short_text);
    visit("name", decision.name, name_pattern);
    visit("node", decision.node, short_text);
    visit("cause", decision.cause, explanation);
}
void fields(auto& visit, Like<ExplainReply> auto& reply) {
    visit("subject", reply.subject, plain);
    visit("name", reply.name, name_pattern);
    visit("state", reply.state, short_text);
    visit("node", reply.node, short_text);
    visit("since", reply.since, plain);
    visit("decided_by", reply.decided_by, short_text);
    visit("detail", reply.detail, explanation);
    visit("verdicts", reply.verdicts, rows);
    visit("decisions", reply.decisions, rows);
}

void fields(auto& visit, Like<PlanRequest> auto& request) {
    visit("fail", request.fail,
          texts(limits::what_if_selectors, limits::pattern_bytes).or_default());
    visit("without_tasks", request.without_tasks,
          texts(limits::what_if_selectors, limits::pattern_bytes).or_default());
    visit("add_nodes", request.add_nodes, plain.or_default());
    visit("rebalance", request.rebalance, plain.or_default());
}

void fields(auto& visit, Like<PlannedMove> auto& move) {
    fields(visit, move.id);
    visit("from", move.from, short_text);
    visit("to", move.to, short_text);
    visit("cause", move.cause, short_text);
}
void fields(auto& visit, Like<PlannedGap> auto& gap) {
    visit("task", gap.task, short_text);
    visit("down", gap.down, plain);
    visit("wanted", gap.wanted, plain);
}
void fields(auto& visit, Like<PlannedShortage> auto& shortage) {
    visit("task", shortage.task, short_text);
    visit("count", shortage.count, plain);
    visit("before", shortage.before, plain);
    visit("code", shortage.code, short_text);
}
void fields(auto& visit, Like<PlannedSpread> auto& spread) {
    visit("nodes", spread.nodes, plain);
    visit("least", spread.least, plain);
    visit("most", spread.most, plain);
    visit("instances", spread.instances, plain);
}
void fields(auto& visit, Like<PlannedFreeze> auto& freeze) {
    visit("on", freeze.on, plain);
    visit("counted", freeze.counted, plain);
    visit("silent", freeze.silent, plain);
}
void fields(auto& visit, Like<PlanReply> auto& reply) {
    visit("moves", reply.moves, rows);
    visit("more_moves", reply.more_moves, plain);
    visit("gaps", reply.gaps, rows);
    visit("shortages", reply.shortages, rows);
    visit("before", reply.before, plain);
    visit("after", reply.after, plain);
    visit("pending", reply.pending, plain.or_default());
    visit("freeze", reply.freeze, plain.or_default());
    visit("resting", reply.resting, plain.or_default());
    visit("rested_in_ms", reply.rested_in, plain.or_default());
    visit("added", reply.added, plain.or_default());
    visit("added_like", reply.added_like, short_text.or_default());
    visit("unsettled", reply.unsettled, explanation.or_default());
}

}  // namespace muster::codec
