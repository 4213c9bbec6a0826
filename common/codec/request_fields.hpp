#pragma once

#include "common/codec/shape.hpp"
#include "common/codec/spec_fields.hpp"
#include "common/limits.hpp"
#include "common/operator.hpp"

/// The verbs of requests and their fields. docs/protocol.md repeats them.
namespace muster::codec {

template <>
inline constexpr std::string_view tag<HelpRequest> = "help";
template <>
inline constexpr std::string_view tag<PingRequest> = "ping";
template <>
inline constexpr std::string_view tag<StatusRequest> = "status";
template <>
inline constexpr std::string_view tag<NodeListRequest> = "node list";
template <>
inline constexpr std::string_view tag<NodeShowRequest> = "node show";
template <>
inline constexpr std::string_view tag<TaskListRequest> = "task list";
template <>
inline constexpr std::string_view tag<TaskShowRequest> = "task show";
template <>
inline constexpr std::string_view tag<EventsRequest> = "events";
template <>
inline constexpr std::string_view tag<WaitRequest> = "wait";
template <>
inline constexpr std::string_view tag<ApplyRequest> = "apply";
template <>
inline constexpr std::string_view tag<TaskAddRequest> = "task add";
template <>
inline constexpr std::string_view tag<TaskRemoveRequest> = "task remove";
template <>
inline constexpr std::string_view tag<TaskScaleRequest> = "task scale";
template <>
inline constexpr std::string_view tag<TaskRestartRequest> = "task restart";
template <>
inline constexpr std::string_view tag<TermNowRequest> = "term now";
template <>
inline constexpr std::string_view tag<StoreAcceptRequest> = "store accept";
template <>
inline constexpr std::string_view tag<LogLevelRequest> = "log level";

inline constexpr Rule name_pattern = text(limits::pattern_bytes);

/// What every request has beside the fields of its verb.
struct RequestEnvelope {
    std::string verb;
    RequestId id;
};

void fields(auto& visit, Like<RequestEnvelope> auto& envelope) {
    visit("verb", envelope.verb, text(limits::name_bytes));
    visit("request_id", envelope.id, plain.or_default());
}

void fields(auto&, Like<HelpRequest> auto&) {}
void fields(auto&, Like<PingRequest> auto&) {}
void fields(auto&, Like<StatusRequest> auto&) {}
void fields(auto&, Like<TermNowRequest> auto&) {}

void fields(auto& visit, Like<NodeListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<NodeShowRequest> auto& request) {
    visit("name", request.name, valid_name);
}
void fields(auto& visit, Like<TaskListRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern.or_default());
}
void fields(auto& visit, Like<TaskShowRequest> auto& request) {
    visit("name", request.name, valid_name);
}
void fields(auto& visit, Like<EventsRequest> auto& request) {
    visit("since", request.since, plain.or_default());
    visit("limit", request.limit, plain.or_default());
}
void fields(auto& visit, Like<WaitRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("timeout_ms", request.timeout_ms, plain.or_default());
}
void fields(auto& visit, Like<ApplyRequest> auto& request) {
    visit("tasks", request.tasks, list(limits::tasks));
    visit("replace", request.replace, plain.or_default());
    visit("dry_run", request.dry_run, plain.or_default());
}
void fields(auto& visit, Like<TaskAddRequest> auto& request) { visit("task", request.task, plain); }
void fields(auto& visit, Like<TaskRemoveRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
}
void fields(auto& visit, Like<TaskScaleRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
    visit("instances", request.instances, plain);
}
void fields(auto& visit, Like<TaskRestartRequest> auto& request) {
    visit("pattern", request.pattern, name_pattern);
}
void fields(auto& visit, Like<StoreAcceptRequest> auto& request) {
    visit("dry_run", request.dry_run, plain.or_default());
}
void fields(auto& visit, Like<LogLevelRequest> auto& request) {
    visit("level", request.level, text(limits::name_bytes));
}

}  // namespace muster::codec
