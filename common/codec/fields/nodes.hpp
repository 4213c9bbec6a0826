#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/host.hpp"
#include "common/codec/fields/placement.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/nodes.hpp"

/// The fields of what is asked about nodes. docs/protocol.md repeats them.
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
    visit("penalty_ends", node.penalty_ends, plain.or_default());
    visit("overdue", node.overdue, plain.or_default());
    visit("listed", node.listed, plain.or_default());
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

void fields(auto& visit, Like<MisdeedView> auto& misdeed) {
    visit("what", misdeed.what, short_text);
    visit("times", misdeed.times, plain);
    visit("last", misdeed.last, plain);
}
void fields(auto& visit, Like<ConductView> auto& conduct) {
    visit("score", conduct.score, plain);
    visit("threshold", conduct.threshold, plain);
    visit("relapses", conduct.relapses, plain);
    visit("penalty_ends", conduct.penalty_ends, plain);
    visit("fed", conduct.fed, rows);
    visit("blocked_by", conduct.blocked_by, rows.or_default());
}
void fields(auto& visit, Like<NodeShowReply> auto& reply) {
    visit("node", reply.node, plain);
    visit("instances", reply.instances, rows);
    visit("offer", reply.offer, plain.or_default());
    visit("drain", reply.drain, plain.or_default());
    visit("conduct", reply.conduct, plain.or_default());
    visit("limits", reply.limits, list(limits::limit_facts).or_default());
    visit("capacity_from", reply.capacity_from, plain.or_default());
    visit("vitals", reply.vitals, plain.or_default());
    visit("clock_ahead_ms", reply.clock_ahead_ms, plain.or_default());
}

}  // namespace muster::codec
