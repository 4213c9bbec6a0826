#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/ids.hpp"
#include "common/message.hpp"
#include "common/result.hpp"
#include "common/spec.hpp"

/// What operators (the CLI, probes by hand) ask of a coordinator, and its answers. Names may be
/// patterns: a glob (`web-*`) or a host range (`n[1-40,52]`).
namespace muster {

// ---- requests ----

struct HelpRequest {};
struct PingRequest {};
struct StatusRequest {};
struct NodeListRequest {
    std::string pattern = "*";
};
struct NodeShowRequest {
    std::string name;
};
struct TaskListRequest {
    std::string pattern = "*";
};
struct TaskShowRequest {
    std::string name;
};
/// The ring of recent events, from sequence `since` + 1 on.
struct EventsRequest {
    std::uint64_t since = 0;
    std::uint32_t limit = 1000;
};
/// Answered when the tasks that match are as wanted, or with `timeout`.
struct WaitRequest {
    std::string pattern;
    std::uint32_t timeout_ms = 30'000;
};
/// Adds and changes tasks; `replace` removes those not named. `dry_run`: only the diff.
struct ApplyRequest {
    std::vector<WantedTask> tasks;
    bool replace = false;
    bool dry_run = false;
};
/// As apply of one task, but refused with `exists` if it is there.
struct TaskAddRequest {
    WantedTask task;
};
struct TaskRemoveRequest {
    std::string pattern;
};
struct TaskScaleRequest {
    std::string pattern;
    std::uint32_t instances = 1;
};
struct TaskRestartRequest {
    std::string pattern;
};
/// Closes the running term and opens the next at once.
struct TermNowRequest {};
struct StoreAcceptRequest {
    bool dry_run = false;
};
/// Changes the level of the log while the daemon runs (trace debug info warn error).
struct LogLevelRequest {
    std::string level;
};

using RequestBody =
    std::variant<HelpRequest, PingRequest, StatusRequest, NodeListRequest, NodeShowRequest,
                 TaskListRequest, TaskShowRequest, EventsRequest, WaitRequest, ApplyRequest,
                 TaskAddRequest, TaskRemoveRequest, TaskScaleRequest, TaskRestartRequest,
                 TermNowRequest, StoreAcceptRequest, LogLevelRequest>;

/// A request with the id that makes its retry safe. Reads ignore the id; a change without one gets
/// one of the coordinator's and is not safe to retry.
struct Request {
    RequestId id;
    RequestBody body;
};

// ---- answers ----

struct VerbHelp {
    std::string verb;
    std::string usage;
    std::string summary;
    std::string example;
};
struct HelpReply {
    std::vector<VerbHelp> verbs;
};
struct PingReply {
    std::string version;
    ClusterId cluster;
    Epoch epoch{};
};

/// Why instances could not be placed, counted: `3 no room: every serving node has max_per_node`.
struct UnplacedReason {
    std::string code;
    std::uint32_t count = 0;
    std::string detail;
};

struct StatusReply {
    ClusterId cluster;
    Epoch epoch{};
    Term term{};
    Generation counter{};
    std::string phase;  ///< recovering | leading
    std::uint32_t nodes = 0, serving = 0, lost = 0, ahead = 0;
    std::uint32_t tasks = 0, wanted = 0, running = 0, unplaced = 0, failed = 0, strays = 0;
    std::uint32_t moving = 0;  ///< Commands in flight.
    bool converged = false;    ///< Nothing left to do for anything placeable.
    std::vector<UnplacedReason> unplaced_reasons;
    std::vector<std::string> alarms;  ///< One sentence each, for people.
};

struct NodeView {
    std::string name;
    std::string health;  ///< healthy | lost
    std::string note;    ///< Why, in words: `silent for 3 polls`, `ahead: ...`, `said goodbye`.
    Incarnation incarnation{};
    std::uint32_t instances = 0;
    std::uint32_t load_milli = 0;
    CivilMs last_answer{};
    std::string version;
};
struct NodeListReply {
    std::vector<NodeView> nodes;
};

/// An instance somewhere; `node` is empty when it is unplaced.
struct InstanceView {
    InstanceId id;
    std::string node;
    std::string state;  ///< An InstanceState, or `unplaced`, `ordered`.
    Generation generation{};
    std::uint32_t restarts = 0;
    std::int32_t exit_code = -1;
    std::int32_t exit_signal = 0;
    CivilMs started{};
    std::string detail;  ///< The reason, when there is one.
    bool stray = false;  ///< Reported, but nothing this store ever ordered.
};
struct NodeShowReply {
    NodeView node;
    std::vector<InstanceView> instances;
};

struct TaskView {
    std::string name;
    std::uint32_t instances = 0;
    std::uint32_t running = 0;
    Generation generation{};
    std::string state;  ///< converged | rolling | placing | unplaced | failed | stopping
    std::string detail;
};
struct TaskListReply {
    std::vector<TaskView> tasks;
};
struct TaskShowReply {
    TaskView task;
    WantedTask wanted;
    std::vector<InstanceView> instances;
    std::vector<UnplacedReason> unplaced_reasons;
};

struct Event {
    Epoch epoch{};
    std::uint64_t sequence = 0;  ///< Of this epoch; no gaps in what was published.
    CivilMs at{};
    std::string topic;  ///< `node.lost`, `task.added`, `leader.elected`, `term.closed`, ...
    std::string name;   ///< Of the node, task or instance.
    std::string detail;
};
struct EventsReply {
    Epoch epoch{};
    std::uint64_t first_kept = 0;
    std::vector<Event> events;
};
struct WaitReply {
    std::vector<TaskView> tasks;
};

/// What an operator's change does (or would do) to one task.
struct TaskChange {
    std::string task;
    std::string action;  ///< add | change | scale | remove | restart | unchanged
    std::uint32_t instances_before = 0;
    std::uint32_t instances_after = 0;
    std::vector<std::string> fields;  ///< Of the spec that differ.
    Generation generation{};          ///< After the change; the old one when nothing changes.
};
struct ChangeReply {
    Generation counter{};
    bool dry_run = false;
    std::vector<TaskChange> changes;
};
struct TermReply {
    Term term{};
};
struct AheadNode {
    std::string name;
    ClusterId cluster;
    Epoch epoch{};
    Generation counter{};
};
struct StoreAcceptReply {
    bool dry_run = false;
    std::vector<AheadNode> nodes;
};
struct LogLevelReply {
    std::string level;
};

using ReplyBody = std::variant<HelpReply, PingReply, StatusReply, NodeListReply, NodeShowReply,
                               TaskListReply, TaskShowReply, EventsReply, WaitReply, ChangeReply,
                               TermReply, StoreAcceptReply, LogLevelReply>;

/// Exactly one per request.
struct Reply {
    RequestId id;
    Result<ReplyBody> result;
};

}  // namespace muster
