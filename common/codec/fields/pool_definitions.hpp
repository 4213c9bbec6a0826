#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/nodes.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/pool_definitions.hpp"

/// The fields of requests that define pools. docs/reference/protocol.md repeats them.
namespace muster::codec {

/// Lines of a time table. Each is short.
inline constexpr Rule schedule_lines = texts(limits::schedule_lines, limits::pattern_bytes);
inline constexpr Rule shadow_names = texts(limits::pool_shadows, limits::name_bytes);
inline constexpr Rule match_lines = texts(limits::constraints, limits::pattern_bytes);

void fields(auto& visit, Like<PoolSpec> auto& spec) {
    visit("unit", spec.unit, plain.or_default());
    visit("provider", spec.provider, short_text.or_default());
    visit("predictor", spec.predictor, short_text.or_default());
    visit("min", spec.min, plain.or_default());
    visit("max", spec.max, plain.or_default());
    visit("step", spec.step, plain.or_default());
    visit("drain_budget", spec.drain_budget, plain.or_default());
    visit("node_amount", spec.node_amount, plain.or_default());
    visit("arrive_within_ms", spec.arrive_within_ms, plain.or_default());
    visit("max_drain_ms", spec.max_drain_ms, plain.or_default());
    visit("up_cooldown_ms", spec.up_cooldown_ms, plain.or_default());
    visit("down_cooldown_ms", spec.down_cooldown_ms, plain.or_default());
    visit("demand_ttl_ms", spec.demand_ttl_ms, plain.or_default());
    visit("schedule", spec.schedule, schedule_lines.or_default());
    visit("zone", spec.zone, short_text.or_default());
    visit("shadow", spec.shadow, shadow_names.or_default());
    visit("match", spec.match, match_lines.or_default());
}
/// As optional_field(), for values with a rule.
void optional_field(auto& visit, std::string_view name, auto& value, Rule rule) {
    if constexpr (!is_written<std::remove_reference_t<decltype(value)>>) {
        visit(name, value, rule.or_default());
    } else if (value) {
        visit(name, *value, rule);
    }
}
void fields(auto& visit, Like<PoolChanges> auto& changes) {
    optional_field(visit, "unit", changes.unit);
    optional_field(visit, "provider", changes.provider, short_text);
    optional_field(visit, "predictor", changes.predictor, short_text);
    optional_field(visit, "min", changes.min);
    optional_field(visit, "max", changes.max);
    optional_field(visit, "step", changes.step);
    optional_field(visit, "drain_budget", changes.drain_budget);
    optional_field(visit, "node_amount", changes.node_amount);
    optional_field(visit, "arrive_within_ms", changes.arrive_within_ms);
    optional_field(visit, "max_drain_ms", changes.max_drain_ms);
    optional_field(visit, "up_cooldown_ms", changes.up_cooldown_ms);
    optional_field(visit, "down_cooldown_ms", changes.down_cooldown_ms);
    optional_field(visit, "demand_ttl_ms", changes.demand_ttl_ms);
    optional_field(visit, "schedule", changes.schedule, schedule_lines);
    optional_field(visit, "zone", changes.zone, short_text);
    optional_field(visit, "shadow", changes.shadow, shadow_names);
    optional_field(visit, "match", changes.match, match_lines);
}
void fields(auto& visit, Like<PoolCreateRequest, PoolSetRequest> auto& request) {
    visit("name", request.name, text(limits::pattern_bytes));
    fields(visit, request.changes);
    fields(visit, request.why);
}
void fields(auto& visit,
            Like<PoolRemoveRequest, PoolPauseRequest, PoolResumeRequest> auto& request) {
    visit("name", request.name, text(limits::pattern_bytes));
    fields(visit, request.why);
}
void fields(auto& visit, Like<PoolChangeReply> auto& reply) {
    visit("counter", reply.counter, plain);
    visit("name", reply.name, short_text);
    visit("action", reply.action, short_text);
    visit("fields", reply.fields, texts(limits::reply_rows, limits::name_bytes).or_default());
}
void fields(auto& visit, Like<PoolShowRequest> auto& request) {
    visit("name", request.name, valid_name);
}
void fields(auto& visit, Like<PoolNodeView> auto& node) {
    visit("node", node.node, short_text);
    visit("state", node.state, short_text);
    visit("request", node.request, short_text.or_default());
    visit("since", node.since, plain.or_default());
    visit("amount", node.amount, plain.or_default());
    visit("instances", node.instances, plain.or_default());
}
void fields(auto& visit, Like<PoolDecisionView> auto& decision) {
    visit("at", decision.at, plain);
    visit("reason", decision.reason, short_text);
    visit("detail", decision.detail, explanation);
    visit("demand", decision.demand, plain);
    visit("derived", decision.derived, plain);
    visit("wanted", decision.wanted, plain);
    visit("capacity", decision.capacity, plain);
    visit("nodes", decision.nodes, plain);
    visit("up", decision.up, plain);
    visit("down", decision.down, plain);
}
void fields(auto& visit, Like<PoolShowReply> auto& reply) {
    visit("name", reply.name, short_text);
    visit("defined", reply.defined, plain);
    visit("paused", reply.paused, plain);
    visit("spec", reply.spec, plain);
    visit("author", reply.author, explanation.or_default());
    visit("since", reply.since, plain.or_default());
    visit("alarm", reply.alarm, explanation.or_default());
    visit("decision", reply.decision, plain);
    visit("nodes", reply.nodes, rows);
}
void fields(auto& visit, Like<PoolMembersRequest> auto& request) {
    visit("name", request.name, valid_name);
    visit("epoch", request.epoch, plain.or_default());
    visit("version", request.version, plain.or_default());
}
void fields(auto& visit, Like<PoolMemberView> auto& member) {
    visit("node", member.node, short_text);
    visit("address", member.address, explanation.or_default());
    visit("amount", member.amount, plain);
}
void fields(auto& visit, Like<PoolMembersReply> auto& reply) {
    visit("name", reply.name, short_text);
    visit("epoch", reply.epoch, plain);
    visit("version", reply.version, plain);
    visit("since", reply.since, plain.or_default());
    visit("members", reply.members, rows);
    visit("left", reply.left, texts(limits::reply_rows, limits::name_bytes).or_default());
}

}  // namespace muster::codec
