#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/placement.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/intents.hpp"
#include "common/messages/operator/limits.hpp"

/// The fields of what operators want of nodes, and of the limits they set. docs/protocol.md repeats
/// them.
namespace muster::codec {

/// Longer than what is kept, so that the answer can say how much too long it is.
inline constexpr Rule remark = text(limits::sentence_bytes);
inline constexpr Rule listed_nodes = list(limits::nodes);

void fields(auto& visit, Like<Occasion> auto& why) {
    visit("reason", why.reason, remark.or_default());
    visit("author", why.author, remark.or_default());
}
void fields(auto& visit, Like<NodeOfflineRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeOnlineRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeDrainRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("deadline_ms", request.deadline_ms, plain.or_default());
    visit("force", request.force, plain.or_default());
    fields(visit, request.why);
}
void fields(auto& visit, Like<NodeForgiveRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
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

void fields(auto&, Like<LimitListRequest> auto&) {}
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

}  // namespace muster::codec
