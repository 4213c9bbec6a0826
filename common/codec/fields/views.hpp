#pragma once

#include <concepts>

#include "common/base/limits.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/shapes/shape.hpp"
#include "common/messages/operator/views.hpp"

/// The fields that answers of several subjects share, and their rules.
namespace muster::codec {

/// A task's or a node's name, or a pattern of it.
inline constexpr Rule name_pattern = text(limits::pattern_bytes);
inline constexpr Rule short_text = text(limits::name_bytes);
inline constexpr Rule explanation = sentence(limits::sentence_bytes);
inline constexpr Rule rows = list(limits::reply_rows);

void fields(auto&, const std::derived_from<BareRequest> auto&) {}

void fields(auto& visit, Like<NodeReason> auto& reason) {
    visit("code", reason.code, short_text);
    visit("count", reason.count, plain);
    visit("detail", reason.detail, explanation);
}

void fields(auto& visit, Like<UnplacedReason> auto& reason) {
    visit("code", reason.code, short_text);
    visit("count", reason.count, plain);
    visit("detail", reason.detail, explanation);
    visit("task", reason.task, short_text.or_default());
    visit("nodes", reason.nodes, rows.or_default());
}

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

}  // namespace muster::codec
