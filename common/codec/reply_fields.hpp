#pragma once

#include "common/codec/agent_fields.hpp"
#include "common/codec/shape.hpp"
#include "common/codec/spec_fields.hpp"
#include "common/limits.hpp"
#include "common/operator.hpp"

/// The kinds of replies and their fields. docs/protocol.md repeats them.
namespace muster::codec {

template <>
inline constexpr std::string_view tag<HelpReply> = "help";
template <>
inline constexpr std::string_view tag<PingReply> = "ping";
template <>
inline constexpr std::string_view tag<StatusReply> = "status";
template <>
inline constexpr std::string_view tag<NodeListReply> = "node list";
template <>
inline constexpr std::string_view tag<NodeShowReply> = "node show";
template <>
inline constexpr std::string_view tag<TaskListReply> = "task list";
template <>
inline constexpr std::string_view tag<TaskShowReply> = "task show";
template <>
inline constexpr std::string_view tag<EventsReply> = "events";
template <>
inline constexpr std::string_view tag<WaitReply> = "wait";
template <>
inline constexpr std::string_view tag<ChangeReply> = "change";
template <>
inline constexpr std::string_view tag<TermReply> = "term";
template <>
inline constexpr std::string_view tag<StoreAcceptReply> = "store accept";
template <>
inline constexpr std::string_view tag<LogLevelReply> = "log level";

inline constexpr Rule short_text = text(limits::name_bytes);
inline constexpr Rule explanation = sentence(limits::sentence_bytes);
inline constexpr Rule rows = list(limits::reply_rows);

/// What every reply has beside the fields of its kind, or its error.
struct ReplyEnvelope {
    bool ok = false;
    std::string kind;  ///< Empty with an error.
    RequestId id;
};

void fields(auto& visit, Like<ReplyEnvelope> auto& envelope) {
    visit("ok", envelope.ok, plain);
    visit("reply", envelope.kind, short_text.or_default());
    visit("request_id", envelope.id, plain.or_default());
}

/// `{"ok": false, "error": {"code": ..., "message": ...}}`
struct ErrorBody {
    Error error;
};

void fields(auto& visit, Like<Error> auto& error) {
    visit("code", error.code, plain);
    visit("message", error.detail, explanation);
}
void fields(auto& visit, Like<ErrorBody> auto& body) { visit("error", body.error, plain); }

void fields(auto& visit, Like<VerbHelp> auto& help) {
    visit("verb", help.verb, short_text);
    visit("usage", help.usage, explanation);
    visit("summary", help.summary, explanation);
    visit("example", help.example, explanation);
}
void fields(auto& visit, Like<HelpReply> auto& reply) { visit("verbs", reply.verbs, rows); }

void fields(auto& visit, Like<PingReply> auto& reply) {
    visit("version", reply.version, short_text);
    visit("cluster", reply.cluster, plain);
    visit("epoch", reply.epoch, plain);
}

void fields(auto& visit, Like<UnplacedReason> auto& reason) {
    visit("code", reason.code, short_text);
    visit("count", reason.count, plain);
    visit("detail", reason.detail, explanation);
}

void fields(auto& visit, Like<StatusReply> auto& reply) {
    visit("cluster", reply.cluster, plain);
    visit("epoch", reply.epoch, plain);
    visit("term", reply.term, plain);
    visit("counter", reply.counter, plain);
    visit("phase", reply.phase, short_text);
    visit("nodes", reply.nodes, plain);
    visit("serving", reply.serving, plain);
    visit("lost", reply.lost, plain);
    visit("ahead", reply.ahead, plain);
    visit("tasks", reply.tasks, plain);
    visit("wanted", reply.wanted, plain);
    visit("running", reply.running, plain);
    visit("starting", reply.starting, plain);
    visit("backoff", reply.backoff, plain);
    visit("exited", reply.exited, plain);
    visit("failed", reply.failed, plain);
    visit("unplaced", reply.unplaced, plain);
    visit("rolling", reply.rolling, plain);
    visit("stopping", reply.stopping, plain);
    visit("strays", reply.strays, plain);
    visit("moving", reply.moving, plain);
    visit("converged", reply.converged, plain);
    visit("unplaced_reasons", reply.unplaced_reasons, rows);
    visit("alarms", reply.alarms, texts(limits::reply_rows, limits::sentence_bytes));
    visit("undecodable", reply.undecodable, plain.or_default());
}

void fields(auto& visit, Like<NodeView> auto& node) {
    visit("name", node.name, short_text);
    visit("health", node.health, short_text);
    visit("note", node.note, explanation);
    visit("incarnation", node.incarnation, plain);
    visit("instances", node.instances, plain);
    visit("load_milli", node.load_milli, plain);
    visit("last_answer", node.last_answer, plain);
    visit("version", node.version, short_text);
}
void fields(auto& visit, Like<NodeListReply> auto& reply) { visit("nodes", reply.nodes, rows); }

void fields(auto& visit, Like<InstanceView> auto& instance) {
    fields(visit, instance.id);
    visit("node", instance.node, short_text);
    visit("state", instance.state, short_text);
    visit("generation", instance.generation, plain);
    visit("restarts", instance.restarts, plain);
    visit("exit_code", instance.exit_code, plain);
    visit("exit_signal", instance.exit_signal, plain);
    visit("started", instance.started, plain);
    visit("detail", instance.detail, explanation);
    visit("stray", instance.stray, plain);
}
void fields(auto& visit, Like<NodeShowReply> auto& reply) {
    visit("node", reply.node, plain);
    visit("instances", reply.instances, rows);
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
}

void fields(auto& visit, Like<Event> auto& event) {
    visit("epoch", event.epoch, plain);
    visit("sequence", event.sequence, plain);
    visit("at", event.at, plain);
    visit("topic", event.topic, short_text);
    visit("name", event.name, text(limits::pattern_bytes));
    visit("detail", event.detail, explanation);
}
void fields(auto& visit, Like<EventsReply> auto& reply) {
    visit("epoch", reply.epoch, plain);
    visit("first_kept", reply.first_kept, plain);
    visit("events", reply.events, list(limits::events_kept));
    visit("published_at", reply.published_at, text(limits::pattern_bytes).or_default());
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
}
void fields(auto& visit, Like<ChangeReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("dry_run", reply.dry_run, plain);
    visit("changes", reply.changes, list(2 * limits::tasks));
}
void fields(auto& visit, Like<TermReply> auto& reply) { visit("term", reply.term, plain); }

void fields(auto& visit, Like<AheadNode> auto& node) {
    visit("name", node.name, short_text);
    visit("cluster", node.cluster, plain);
    visit("epoch", node.epoch, plain);
    visit("counter", node.counter, plain);
    visit("left_out", node.left_out, explanation);
}
void fields(auto& visit, Like<StoreAcceptReply> auto& reply) {
    visit("dry_run", reply.dry_run, plain);
    visit("nodes", reply.nodes, list(limits::nodes));
}
void fields(auto& visit, Like<LogLevelReply> auto& reply) {
    visit("level", reply.level, short_text);
}

}  // namespace muster::codec
