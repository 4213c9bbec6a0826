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

struct HelpRequest {
    friend bool operator==(const HelpRequest&, const HelpRequest&) = default;
};
struct PingRequest {
    friend bool operator==(const PingRequest&, const PingRequest&) = default;
};
struct StatusRequest {
    friend bool operator==(const StatusRequest&, const StatusRequest&) = default;
};
struct NodeListRequest {
    std::string pattern = "*";

    friend bool operator==(const NodeListRequest&, const NodeListRequest&) = default;
};
struct NodeShowRequest {
    std::string name;

    friend bool operator==(const NodeShowRequest&, const NodeShowRequest&) = default;
};
struct TaskListRequest {
    std::string pattern = "*";

    friend bool operator==(const TaskListRequest&, const TaskListRequest&) = default;
};
struct TaskShowRequest {
    std::string name;

    friend bool operator==(const TaskShowRequest&, const TaskShowRequest&) = default;
};
/// The ring of recent events, from sequence `since` + 1 on.
struct EventsRequest {
    std::uint64_t since = 0;
    std::uint32_t limit = 1000;

    friend bool operator==(const EventsRequest&, const EventsRequest&) = default;
};
/// Answered when the tasks that match are as wanted, or with `timeout`.
struct WaitRequest {
    std::string pattern;
    std::uint32_t timeout_ms = 30'000;

    friend bool operator==(const WaitRequest&, const WaitRequest&) = default;
};
/// Adds and changes tasks; `replace` removes those not named. `dry_run`: only the diff.
struct ApplyRequest {
    std::vector<WantedTask> tasks;
    bool replace = false;
    bool dry_run = false;

    friend bool operator==(const ApplyRequest&, const ApplyRequest&) = default;
};
/// As apply of one task, but refused with `exists` if it is there.
struct TaskAddRequest {
    WantedTask task;

    friend bool operator==(const TaskAddRequest&, const TaskAddRequest&) = default;
};
struct TaskRemoveRequest {
    std::string pattern;

    friend bool operator==(const TaskRemoveRequest&, const TaskRemoveRequest&) = default;
};
struct TaskScaleRequest {
    std::string pattern;
    std::uint32_t instances = 1;

    friend bool operator==(const TaskScaleRequest&, const TaskScaleRequest&) = default;
};
struct TaskRestartRequest {
    std::string pattern;

    friend bool operator==(const TaskRestartRequest&, const TaskRestartRequest&) = default;
};
/// Closes the running term and opens the next at once.
struct TermNowRequest {
    friend bool operator==(const TermNowRequest&, const TermNowRequest&) = default;
};
struct StoreAcceptRequest {
    bool dry_run = false;

    friend bool operator==(const StoreAcceptRequest&, const StoreAcceptRequest&) = default;
};
/// Changes the level of the log while the daemon runs (trace debug info warn error).
struct LogLevelRequest {
    std::string level;

    friend bool operator==(const LogLevelRequest&, const LogLevelRequest&) = default;
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

    friend bool operator==(const Request&, const Request&) = default;
};

// ---- answers ----

struct VerbHelp {
    std::string verb;
    std::string usage;
    std::string summary;
    std::string example;

    friend bool operator==(const VerbHelp&, const VerbHelp&) = default;
};
struct HelpReply {
    std::vector<VerbHelp> verbs;

    friend bool operator==(const HelpReply&, const HelpReply&) = default;
};
struct PingReply {
    std::string version;
    ClusterId cluster;
    Epoch epoch{};

    friend bool operator==(const PingReply&, const PingReply&) = default;
};

/// Why instances could not be placed, counted: `3 no room: every serving node has max_per_node`.
struct UnplacedReason {
    std::string code;
    std::uint32_t count = 0;
    std::string detail;

    friend bool operator==(const UnplacedReason&, const UnplacedReason&) = default;
};

struct StatusReply {
    ClusterId cluster;
    Epoch epoch{};
    Term term{};
    Generation counter{};
    std::string phase;  ///< recovering | leading
    std::uint32_t nodes = 0, serving = 0, lost = 0, ahead = 0;
    std::uint32_t tasks = 0;
    std::uint32_t wanted = 0;  ///< Instances: the sum of the next six.
    std::uint32_t running = 0, starting = 0, backoff = 0, exited = 0, failed = 0, unplaced = 0;
    std::uint32_t rolling = 0;   ///< Instances of which a copy of an older generation is there.
    std::uint32_t stopping = 0;  ///< Copies that are not wanted (any more).
    std::uint32_t strays = 0;
    std::uint32_t moving = 0;  ///< Instances on their way to another node, for the balance.
    bool converged = false;    ///< Every task is: what is wanted runs, and nothing else does.
    std::vector<UnplacedReason> unplaced_reasons;
    std::vector<std::string> alarms;  ///< One sentence each, for people.
    std::uint64_t undecodable = 0;    ///< Messages that were none of ours, since our start.

    friend bool operator==(const StatusReply&, const StatusReply&) = default;
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

    friend bool operator==(const NodeView&, const NodeView&) = default;
};
struct NodeListReply {
    std::vector<NodeView> nodes;

    friend bool operator==(const NodeListReply&, const NodeListReply&) = default;
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

    friend bool operator==(const InstanceView&, const InstanceView&) = default;
};
struct NodeShowReply {
    NodeView node;
    std::vector<InstanceView> instances;

    friend bool operator==(const NodeShowReply&, const NodeShowReply&) = default;
};

struct TaskView {
    std::string name;
    std::uint32_t instances = 0;
    std::uint32_t running = 0;
    Generation generation{};
    std::string state;  ///< converged | rolling | backoff | placing | unplaced | failed | stopping
    std::string detail;

    friend bool operator==(const TaskView&, const TaskView&) = default;
};
struct TaskListReply {
    std::vector<TaskView> tasks;

    friend bool operator==(const TaskListReply&, const TaskListReply&) = default;
};
struct TaskShowReply {
    TaskView task;
    WantedTask wanted;
    std::vector<InstanceView> instances;
    std::vector<UnplacedReason> unplaced_reasons;

    friend bool operator==(const TaskShowReply&, const TaskShowReply&) = default;
};

struct Event {
    Epoch epoch{};
    std::uint64_t sequence = 0;  ///< Of this epoch; no gaps in what was published.
    CivilMs at{};
    std::string topic;  ///< `node.lost`, `task.added`, `leader.elected`, `term.closed`, ...
    std::string name;   ///< Of the node, task or instance.
    std::string detail;

    friend bool operator==(const Event&, const Event&) = default;
};
struct EventsReply {
    Epoch epoch{};
    std::uint64_t first_kept = 0;
    std::vector<Event> events;
    std::string published_at{};  ///< The endpoint for listeners.

    friend bool operator==(const EventsReply&, const EventsReply&) = default;
};
struct WaitReply {
    std::vector<TaskView> tasks;

    friend bool operator==(const WaitReply&, const WaitReply&) = default;
};

/// What an operator's change does (or would do) to one task.
struct TaskChange {
    std::string task;
    std::string action;  ///< add | change | scale | remove | restart | unchanged
    std::uint32_t instances_before = 0;
    std::uint32_t instances_after = 0;
    std::vector<std::string> fields;  ///< Of the spec that differ.
    Generation generation{};          ///< After the change; the old one when nothing changes.

    friend bool operator==(const TaskChange&, const TaskChange&) = default;
};
struct ChangeReply {
    Generation counter{};
    bool dry_run = false;
    std::vector<TaskChange> changes;

    friend bool operator==(const ChangeReply&, const ChangeReply&) = default;
};
struct TermReply {
    Term term{};

    friend bool operator==(const TermReply&, const TermReply&) = default;
};
struct AheadNode {
    std::string name;
    ClusterId cluster;
    Epoch epoch{};
    Generation counter{};
    std::string left_out;  ///< Why its claims are not taken over; empty: they are.

    friend bool operator==(const AheadNode&, const AheadNode&) = default;
};
struct StoreAcceptReply {
    bool dry_run = false;
    std::vector<AheadNode> nodes;

    friend bool operator==(const StoreAcceptReply&, const StoreAcceptReply&) = default;
};
struct LogLevelReply {
    std::string level;

    friend bool operator==(const LogLevelReply&, const LogLevelReply&) = default;
};

using ReplyBody = std::variant<HelpReply, PingReply, StatusReply, NodeListReply, NodeShowReply,
                               TaskListReply, TaskShowReply, EventsReply, WaitReply, ChangeReply,
                               TermReply, StoreAcceptReply, LogLevelReply>;

/// Exactly one per request.
struct Reply {
    RequestId id;
    Result<ReplyBody> result;

    friend bool operator==(const Reply&, const Reply&) = default;
};

}  // namespace muster
