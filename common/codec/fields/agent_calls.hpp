#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/agent_calls.hpp"
#include "common/messages/operator/agent_calls.hpp"

/// The fields of agent calls and of their answers. docs/reference/protocol.md repeats them.
namespace muster::codec {

template <>
inline constexpr std::string_view tag<ReadLog> = "read_log";
template <>
inline constexpr std::string_view tag<SendSignal> = "signal";
template <>
inline constexpr std::string_view tag<Measure> = "measure";
template <>
inline constexpr std::string_view tag<LogPiece> = "log_piece";
template <>
inline constexpr std::string_view tag<Signalled> = "signalled";
template <>
inline constexpr std::string_view tag<Measured> = "measured";
template <>
inline constexpr std::string_view tag<AgentCallFailed> = "call_failed";

template <>
inline constexpr bool positional<InstanceUse> = true;

void fields(auto& visit, Like<AgentCallStamp> auto& stamp) {
    visit("epoch", stamp.epoch, plain);
    visit("incarnation", stamp.incarnation, plain);
    visit("call", stamp.number, plain);
}
void fields(auto& visit, Like<LogPosition> auto& position) {
    visit("file", position.file, plain.or_default());
    visit("offset", position.offset, plain.or_default());
}
void fields(auto& visit, Like<ReadLog> auto& call) {
    fields(visit, call.stamp);
    fields(visit, call.id);
    visit("stream", call.stream, plain.or_default());
    fields(visit, call.from);
    visit("since_ms", call.since_ms, plain.or_default());
    visit("bytes", call.bytes, plain.or_default());
}
void fields(auto& visit, Like<SendSignal> auto& call) {
    fields(visit, call.stamp);
    visit("signal", call.signal, text(limits::name_bytes));
    visit("ids", call.ids, list(limits::instances_per_node));
}
void fields(auto& visit, Like<Measure> auto& call) { fields(visit, call.stamp); }
void fields(auto& visit, Like<LogPiece> auto& piece) {
    fields(visit, piece.stamp);
    fields(visit, piece.next);
    visit("gap", piece.gap, plain.or_default());
    visit("left", piece.left, plain.or_default());
    visit("data", piece.data, text(limits::log_piece_bytes));
}
void fields(auto& visit, Like<SignalFault> auto& fault) {
    fields(visit, fault.id);
    visit("detail", fault.detail, sentence(limits::detail_bytes));
}
void fields(auto& visit, Like<Signalled> auto& answer) {
    fields(visit, answer.stamp);
    visit("faults", answer.faults, list(limits::instances_per_node).or_default());
}

void fields(auto& visit, Like<InstanceUse> auto& use) {
    fields(visit, use.id);
    visit("cpu_us", use.cpu_us, plain);
    visit("memory_bytes", use.memory_bytes, plain);
    visit("processes", use.processes, plain);
}

void fields(auto& visit, Like<Measured> auto& answer) {
    fields(visit, answer.stamp);
    visit("at_us", answer.at_us, plain);
    visit("instances", answer.instances, list(limits::instances_per_node));
}

void fields(auto& visit, Like<AgentCallFailed> auto& answer) {
    fields(visit, answer.stamp);
    visit("code", answer.code, plain);
    visit("detail", answer.detail, sentence(limits::sentence_bytes).or_default());
}

void fields(auto& visit, Like<LogsRequest> auto& request) {
    visit("instance", request.instance, name_pattern);
    visit("node", request.node, short_text.or_default());
    visit("stream", request.stream, plain.or_default());
    fields(visit, request.from);
    visit("since_ms", request.since_ms, plain.or_default());
    visit("bytes", request.bytes, plain.or_default());
}

void fields(auto& visit, Like<LogsReply> auto& reply) {
    fields(visit, reply.id);
    visit("node", reply.node, short_text);
    fields(visit, reply.next);
    visit("gap", reply.gap, plain);
    visit("left", reply.left, plain);
    visit("data", reply.data, text(limits::log_piece_bytes));
}

void fields(auto& visit, Like<TaskSignalRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("signal", request.signal, short_text);
}

void fields(auto& visit, Like<SignalView> auto& view) {
    fields(visit, view.id);
    visit("node", view.node, short_text);
    visit("detail", view.detail, explanation);
}

void fields(auto& visit, Like<TaskSignalReply> auto& reply) {
    visit("signal", reply.signal, short_text);
    visit("instances", reply.instances, rows);
}

void fields(auto& visit, Like<UsageRequest> auto& request) {
    visit("nodes", request.nodes, name_pattern.or_default());
    visit("tasks", request.tasks, name_pattern.or_default());
}
void fields(auto& visit, Like<UsageNode> auto& node) {
    visit("name", node.name, short_text);
    visit("at_us", node.at_us, plain);
    visit("cpu_milli", node.cpu_milli, plain);
    visit("memory_bytes", node.memory_bytes, plain);
    visit("load_milli", node.load_milli, plain);
    visit("detail", node.detail, explanation);
}
void fields(auto& visit, Like<UsageInstance> auto& instance) {
    fields(visit, instance.use);
    visit("node", instance.node, short_text);
    visit("restarts", instance.restarts, plain);
    visit("state", instance.state, short_text);
    visit("generation", instance.generation, plain.or_default());
}
void fields(auto& visit, Like<UsageReply> auto& reply) {
    visit("nodes", reply.nodes, rows);
    visit("instances", reply.instances, rows);
}

}  // namespace muster::codec
