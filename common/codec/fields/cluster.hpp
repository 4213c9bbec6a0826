#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/nodes.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/cluster.hpp"

/// The fields of requests about the coordinator itself. docs/reference/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<EventsRequest> auto& request) {
    visit("since", request.since, plain.or_default());
    visit("limit", request.limit, plain.or_default());
}
void fields(auto& visit, Like<StoreAcceptRequest, UpgradeFinishRequest> auto& request) {
    visit("dry_run", request.dry_run, plain.or_default());
}
void fields(auto& visit, Like<LogLevelRequest, LogLevelReply> auto& level) {
    visit("level", level.level, short_text);
}
void fields(auto& visit, Like<CoordinatorView> auto& row) {
    visit("name", row.name, explanation);
    visit("role", row.role, short_text);
    visit("epoch", row.epoch, plain);
    visit("applied", row.applied, plain);
    visit("lag_ms", row.lag_ms, plain);
    visit("agents", row.agents, plain);
    visit("operators", row.operators, explanation);
    visit("version", row.version, short_text);
    visit("is_asked", row.is_asked, plain);
    visit("schema", row.schema, plain.or_default());
}
void fields(auto& visit, Like<CoordinatorsReply> auto& reply) { visit("rows", reply.rows, rows); }
void fields(auto& visit, Like<UpgradeReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("dry_run", reply.dry_run, plain);
    visit("before", reply.before, plain);
    visit("after", reply.after, plain);
}
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

void fields(auto& visit, Like<HealthCounts> auto& health) {
    visit("healthy", health.healthy, plain);
    visit("unready", health.unready, plain);
    visit("flaky", health.flaky, plain);
    visit("lost", health.lost, plain);
}
void fields(auto& visit, Like<IntentCounts> auto& intent) {
    visit("active", intent.active, plain);
    visit("draining", intent.draining, plain);
    visit("offline", intent.offline, plain);
}

void fields(auto& visit, Like<StatusReply> auto& reply) {
    visit("cluster", reply.cluster, plain);
    visit("epoch", reply.epoch, plain);
    visit("round", reply.round, plain);
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
    visit("health", reply.health, plain.or_default());
    visit("intent", reply.intent, plain.or_default());
    visit("free", reply.free, plain.or_default());
    visit("busy", reply.busy, plain.or_default());
    visit("unknown_senders", reply.unknown_senders, plain.or_default());
    visit("freeze", reply.freeze, plain.or_default());
    visit("miss_limit", reply.miss_limit, plain.or_default());
    visit("awaited", reply.awaited, plain.or_default());
    visit("unseen", reply.unseen, plain.or_default());
    visit("silent", reply.silent, plain.or_default());
    visit("unconfirmed", reply.unconfirmed, plain.or_default());
    visit("mode", reply.mode, short_text.or_default());
    visit("refused", reply.refused, plain.or_default());
    visit("refused_names", reply.refused_names,
          texts(limits::reply_rows, limits::name_bytes).or_default());
    visit("host", reply.host, text(limits::pattern_bytes).or_default());
    visit("unconverged", reply.unconverged, plain.or_default());
    visit("unconverged_tasks", reply.unconverged_tasks,
          texts(limits::reply_rows, limits::name_bytes).or_default());
    visit("halted", reply.halted, plain.or_default());
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
    visit("published_at", reply.published_at, text(limits::path_bytes).or_default());
}

void fields(auto& visit, Like<RoundReply> auto& reply) { visit("round", reply.round, plain); }

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

inline constexpr Rule metric_labels = texts(limits::metric_labels, limits::name_bytes);

void fields(auto& visit, Like<ReportedRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}

void fields(auto& visit, Like<Sample> auto& sample) {
    visit("name", sample.name, short_text);
    visit("labels", sample.labels, metric_labels);
    visit("value", sample.value, plain);
}
void fields(auto& visit, Like<Bucket> auto& bucket) {
    visit("up_to_us", bucket.up_to_us, plain);
    visit("count", bucket.count, plain);
}
void fields(auto& visit, Like<Durations> auto& durations) {
    visit("name", durations.name, short_text);
    visit("labels", durations.labels, metric_labels);
    visit("buckets", durations.buckets, rows);
    visit("sum_us", durations.sum_us, plain);
}
void fields(auto& visit, Like<StatsReply> auto& reply) {
    visit("samples", reply.samples, rows);
    visit("durations", reply.durations, rows);
}

void fields(auto& visit, Like<ReportedNode> auto& node) {
    visit("name", node.name, short_text);
    visit("round", node.round, plain);
    visit("instances", node.instances, rows);
}
void fields(auto& visit, Like<ReportedReply> auto& reply) {
    visit("round", reply.round, plain);
    visit("none", reply.none, plain);
    visit("nodes", reply.nodes, rows);
}

}  // namespace muster::codec
