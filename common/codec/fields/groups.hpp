#pragma once

#include "common/base/limits.hpp"
#include "common/codec/fields/views.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/groups.hpp"

/// The fields of what is asked about affinity groups. docs/protocol.md repeats them.
namespace muster::codec {

void fields(auto& visit, Like<GroupListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<GroupShowRequest> auto& request) {
    visit("name", request.name, valid_name);
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

}  // namespace muster::codec
