#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/errands.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/errands.hpp"

/// The fields of what operators ask of agents. docs/protocol.md repeats them.
namespace muster::codec {

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
}

void fields(auto& visit, Like<UsageReply> auto& reply) {
    visit("nodes", reply.nodes, rows);
    visit("instances", reply.instances, rows);
}

}  // namespace muster::codec
