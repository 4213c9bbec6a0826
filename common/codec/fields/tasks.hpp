#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/explain.hpp"
#include "common/codec/fields/spec.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/tasks.hpp"

/// The fields of what is asked about tasks or of them. docs/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<TaskListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<TaskShowRequest> auto& request) {
    visit("name", request.name, valid_name);
}
void fields(auto& visit, Like<WaitRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("timeout_ms", request.timeout_ms, plain.or_default());
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
void fields(auto& visit, Like<TaskRemoveRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
}
void fields(auto& visit, Like<TaskScaleRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("instances", request.instances, plain);
}
void fields(auto& visit, Like<TaskRestartRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
}
void fields(auto& visit, Like<TaskView> auto& task) {
    visit("name", task.name, short_text);
    visit("instances", task.instances, plain);
    visit("running", task.running, plain);
    visit("generation", task.generation, plain);
    visit("state", task.state, short_text);
    visit("detail", task.detail, explanation);
}

void fields(auto& visit, Like<TaskListReply> auto& reply) {
    visit("tasks", reply.tasks, list(limits::tasks));
}

void fields(auto& visit, Like<TaskShowReply> auto& reply) {
    visit("task", reply.task, plain);
    visit("wanted", reply.wanted, plain);
    visit("instances", reply.instances, rows);
    visit("unplaced_reasons", reply.unplaced_reasons, rows);
    visit("verdicts", reply.verdicts, rows.or_default());
}

void fields(auto& visit, Like<WaitReply> auto& reply) {
    visit("tasks", reply.tasks, list(limits::tasks));
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

}  // namespace muster::codec
