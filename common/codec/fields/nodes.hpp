#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/placement.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/intents.hpp"
#include "common/messages/operator/nodes.hpp"

/// The fields of requests about nodes. docs/reference/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<NodeListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<NodeShowRequest> auto& request) {
    visit("name", request.name, valid_name);
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
    visit("intent", node.intent, short_text.or_default());
    visit("since", node.since, plain.or_default());
    visit("idle", node.idle, plain.or_default());
    visit("reason", node.reason, explanation.or_default());
    visit("author", node.author, explanation.or_default());
    visit("warm", node.warm, short_text.or_default());
    visit("missed", node.missed, plain.or_default());
    visit("suspended_until", node.suspended_until, plain.or_default());
    visit("overdue", node.overdue, plain.or_default());
    visit("listed", node.listed, plain.or_default());
    unless_default(visit, "bad_report", node.bad_report, {}, explanation);
}

void fields(auto& visit, Like<NodeListReply> auto& reply) {
    const auto names = texts(limits::reply_rows, limits::name_bytes).or_default();
    visit("nodes", reply.nodes, rows);
    visit("removed", reply.removed, names);
    visit("refused", reply.refused, names);
}

void fields(auto& visit, Like<DrainBlocker> auto& blocker) {
    visit("instance", blocker.instance, text(limits::pattern_bytes));
    visit("code", blocker.code, short_text);
    visit("detail", blocker.detail, explanation);
}
void fields(auto& visit, Like<DrainView> auto& drain) {
    visit("running", drain.running, plain);
    visit("deadline", drain.deadline, plain);
    visit("overdue", drain.overdue, plain);
    visit("force", drain.force, plain);
    visit("remove", drain.remove, plain);
    visit("blocked_by", drain.blocked_by, rows);
}

void fields(auto& visit, Like<FlapContributionView> auto& one) {
    visit("cause", one.cause, short_text);
    visit("times", one.times, plain);
    visit("last", one.last, plain);
}
void fields(auto& visit, Like<FlapScoreView> auto& flaps) {
    visit("score", flaps.score, plain);
    visit("threshold", flaps.threshold, plain);
    visit("suspensions", flaps.suspensions, plain);
    visit("suspended_until", flaps.suspended_until, plain);
    visit("contributions", flaps.contributions, rows);
    visit("blocked_by", flaps.blocked_by, rows.or_default());
}
void fields(auto& visit, Like<NodeShowReply> auto& reply) {
    visit("node", reply.node, plain);
    visit("instances", reply.instances, rows);
    visit("offer", reply.offer, plain.or_default());
    visit("drain", reply.drain, plain.or_default());
    visit("flap_score", reply.flap_score, plain.or_default());
    visit("limits", reply.limits, list(limits::limit_facts).or_default());
    visit("capacity_from", reply.capacity_from, plain.or_default());
    visit("vitals", reply.vitals, plain.or_default());
    visit("clock_ahead_ms", reply.clock_ahead_ms, plain.or_default());
}

/// Longer than the stored limit, so that the error can say how long the text is.
inline constexpr Rule remark = text(limits::sentence_bytes);
inline constexpr Rule listed_nodes = list(limits::nodes);

void fields(auto& visit, Like<Occasion> auto& why) {
    visit("reason", why.reason, remark.or_default());
    visit("author", why.author, remark.or_default());
}
void fields(auto& visit,
            Like<NodeOfflineRequest, NodeOnlineRequest, NodeForgiveRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeDrainRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("deadline_ms", request.deadline_ms, plain.or_default());
    visit("force", request.force, plain.or_default());
    fields(visit, request.why);
}
void fields(auto& visit, Like<ListedNode> auto& node) {
    visit("name", node.name, text(limits::pattern_bytes));
    visit("pool", node.pool, text(limits::pattern_bytes).or_default());
}
void fields(auto& visit, Like<NodeAddRequest> auto& request) {
    visit("nodes", request.nodes, listed_nodes);
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeRemoveRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("force", request.force, plain.or_default());
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeApplyRequest> auto& request) {
    visit("nodes", request.nodes, listed_nodes);
    visit("force", request.force, plain.or_default());
    visit("dry_run", request.dry_run, plain.or_default());
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeChangeView> auto& change) {
    visit("node", change.node, short_text);
    visit("action", change.action, short_text);
    visit("intent_before", change.intent_before, short_text);
    visit("intent_after", change.intent_after, short_text);
    visit("detail", change.detail, explanation);
}
void fields(auto& visit, Like<NodesChangeReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("dry_run", reply.dry_run, plain);
    visit("changes", reply.changes, rows);
}

void fields(auto& visit, Like<LimitSetRequest> auto& request) {
    visit("name", request.name, short_text);
    optional_field(visit, "value", request.value);
}
void fields(auto& visit, Like<LimitView> auto& limit) {
    visit("name", limit.name, short_text);
    optional_field(visit, "value", limit.value);
    visit("least", limit.least, plain);
    visit("used", limit.used, plain);
    optional_field(visit, "applies", limit.applies);
    visit("detail", limit.detail, explanation);
}
void fields(auto& visit, Like<LimitsReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("dry_run", reply.dry_run, plain);
    visit("limits", reply.limits, rows);
}

void fields(auto& visit, Like<FreezeOnRequest, FreezeOffRequest> auto& request) {
    fields(visit, request.why);
}
void fields(auto& visit, Like<FreezeView> auto& freeze) {
    visit("on", freeze.on, plain);
    visit("manual", freeze.manual, plain);
    visit("since", freeze.since, plain);
    visit("reason", freeze.reason, explanation);
    visit("author", freeze.author, explanation);
    visit("counted", freeze.counted, plain);
    visit("silent", freeze.silent, plain);
    visit("enter_at", freeze.enter_at, plain);
    visit("leave_below", freeze.leave_below, plain);
    visit("calm_rounds", freeze.calm_rounds, plain);
    visit("detail", freeze.detail, explanation);
}
void fields(auto& visit, Like<FreezeReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("freeze", reply.freeze, plain);
}

}  // namespace muster::codec
