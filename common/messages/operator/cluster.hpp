#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/intents.hpp"
#include "common/messages/operator/views.hpp"

/// Requests about the coordinator itself, and the answers.
namespace muster {

struct HelpRequest : BareRequest {};

struct PingRequest : BareRequest {};

struct StatusRequest : BareRequest {};

/// The ring of recent events, from sequence `since` + 1 on.
struct EventsRequest {
    std::uint64_t since = 0;
    std::uint32_t limit = 1000;

    friend bool operator==(const EventsRequest&, const EventsRequest&) = default;
};

/// Opens the next round as soon as the current one closes.
struct RoundNowRequest : BareRequest {};

struct StoreAcceptRequest {
    bool dry_run = false;

    friend bool operator==(const StoreAcceptRequest&, const StoreAcceptRequest&) = default;
};

/// Ends an upgrade: from now on the store is written as the leader's version does, which older
/// coordinators cannot read.
struct UpgradeFinishRequest {
    bool dry_run = false;

    friend bool operator==(const UpgradeFinishRequest&, const UpgradeFinishRequest&) = default;
};

/// Changes the level of the log while the daemon runs (trace debug info warn error).
struct LogLevelRequest {
    std::string level;

    friend bool operator==(const LogLevelRequest&, const LogLevelRequest&) = default;
};

/// The coordinators of this cluster, who share its store.
struct CoordinatorListRequest : BareRequest {};
/// The leader hands over to another coordinator, at once.
struct CoordinatorResignRequest : BareRequest {};

struct VerbHelp {
    std::string verb;
    std::string usage;
    std::string summary;
    std::string example;

    friend bool operator==(const VerbHelp&, const VerbHelp&) = default;
};

/// One coordinator, as it last said of itself.
struct CoordinatorView {
    std::string name;  ///< Of its host.
    std::string role;  ///< `leader` or `standby`.
    Epoch epoch{};     ///< In which it leads, or that it follows. 0: none is known.
    /// The last change of the store that it knows, by the numbers of the store. 0: none is known.
    std::uint64_t applied = 0;
    std::uint64_t lag_ms = 0;  ///< For how long the store has had a later one.
    std::uint32_t agents = 0;  ///< That are connected to it.
    std::string operators;     ///< Its endpoint for operators.
    std::string version;
    bool is_asked = false;     ///< It gave this answer.
    std::uint32_t schema = 0;  ///< The newest schema of the store that it knows. 0: it did not say.

    friend bool operator==(const CoordinatorView&, const CoordinatorView&) = default;
};

/// The leader comes first, then the others by name.
struct CoordinatorsReply {
    std::vector<CoordinatorView> rows;

    friend bool operator==(const CoordinatorsReply&, const CoordinatorsReply&) = default;
};

/// The schema of the store, as it was and as it is now. Both are the same if there was nothing to
/// do.
struct UpgradeReply {
    Generation counter{};
    bool dry_run = false;
    std::uint32_t before = 0, after = 0;

    friend bool operator==(const UpgradeReply&, const UpgradeReply&) = default;
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

/// Nodes by health, without silent ones, and nodes by intent.
struct HealthCounts {
    std::uint32_t healthy = 0, unready = 0, flaky = 0, lost = 0;

    friend bool operator==(const HealthCounts&, const HealthCounts&) = default;
};
struct IntentCounts {
    std::uint32_t active = 0, draining = 0, offline = 0;

    friend bool operator==(const IntentCounts&, const IntentCounts&) = default;
};

struct StatusReply {
    ClusterId cluster;
    Epoch epoch{};
    Round round{};
    Generation counter{};
    std::string phase;  ///< frozen | recovering | leading
    std::uint32_t nodes = 0, serving = 0, lost = 0, ahead = 0;
    std::uint32_t tasks = 0;
    std::uint32_t wanted = 0;  ///< Instances: the sum of the next six, and of those unseen.
    std::uint32_t running = 0, starting = 0, backoff = 0, exited = 0, failed = 0, unplaced = 0;
    std::uint32_t rolling = 0;   ///< Instances with a copy of an older generation.
    std::uint32_t stopping = 0;  ///< Copies that are not wanted any more.
    std::uint32_t strays = 0;
    std::uint32_t moving = 0;  ///< Instances that move to another node for balance.
    bool converged = false;    ///< Everything wanted runs, and nothing else does.
    std::vector<UnplacedReason> unplaced_reasons;
    std::vector<std::string> alarms;  ///< One sentence each, for people.
    std::uint64_t undecodable = 0;    ///< Malformed messages since our start.
    HealthCounts health{};
    IntentCounts intent{};
    std::uint32_t free = 0, busy = 0;   ///< Serving nodes without instances, and with.
    std::uint64_t unknown_senders = 0;  ///< Messages of agents without a hello.
    FreezeView freeze{};
    std::uint32_t miss_limit = 0;   ///< Polls missed in a row that make a node lost now.
    std::uint32_t awaited = 0;      ///< Nodes whose first report recovery awaits; 0: it is over.
    std::uint32_t unseen = 0;       ///< Instances that may run on these.
    std::uint32_t silent = 0;       ///< Nodes not lost that get nothing new until they answer.
    std::uint32_t unconfirmed = 0;  ///< Copies there, as last reported.
    std::string mode{};             ///< open | listed: who may join.
    std::uint64_t refused = 0;      ///< Hellos of names that may not join.
    std::vector<std::string> refused_names{};      ///< The most recent ones.
    std::string host{};                            ///< Of the leading coordinator.
    std::uint64_t unconverged = 0;                 ///< Tasks that are not converged.
    std::vector<std::string> unconverged_tasks{};  ///< The first of them by name.
    std::uint64_t halted = 0;                      ///< Tasks whose roll-out is halted.

    friend bool operator==(const StatusReply&, const StatusReply&) = default;
};

struct Event {
    Epoch epoch{};
    std::uint64_t sequence = 0;  ///< Of this epoch; no gaps in what was published.
    CivilMs at{};
    std::string topic;  ///< `node.lost`, `task.added`, `leader.elected`, `round.closed`, ...
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

struct RoundReply {
    Round round{};

    friend bool operator==(const RoundReply&, const RoundReply&) = default;
};

struct AheadNode {
    std::string name;
    ClusterId cluster;
    Epoch epoch{};
    Generation counter{};
    std::string left_out;  ///< Why its claims are not accepted; empty: they are.

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

// ---- numbers, and the last reports ----

struct StatsRequest : BareRequest {};

/// The reports of the nodes that answered in the last closed round.
struct ReportedRequest {
    std::string pattern = "*";

    friend bool operator==(const ReportedRequest&, const ReportedRequest&) = default;
};

using MetricLabels = std::map<std::string, std::string>;

/// A current number. If its name ends in `_total`, it only grows, from 0 at the start.
struct Sample {
    std::string name;
    MetricLabels labels;  ///< Distinguish it from others of its name.
    std::uint64_t value = 0;

    friend bool operator==(const Sample&, const Sample&) = default;
};

/// How often it took at most this long, and longer than the previous bound.
struct Bucket {
    std::uint64_t up_to_us = 0;  ///< 0: longer than all bounds.
    std::uint64_t count = 0;

    friend bool operator==(const Bucket&, const Bucket&) = default;
};

struct Durations {
    std::string name;
    MetricLabels labels;
    std::vector<Bucket> buckets;
    std::uint64_t sum_us = 0;

    friend bool operator==(const Durations&, const Durations&) = default;
};

struct StatsReply {
    std::vector<Sample> samples;
    std::vector<Durations> durations;

    friend bool operator==(const StatsReply&, const StatsReply&) = default;
};

struct ReportedNode {
    std::string name;
    Round round{};  ///< Of its last answer.
    std::vector<InstanceView> instances;

    friend bool operator==(const ReportedNode&, const ReportedNode&) = default;
};

struct ReportedReply {
    Round round{};     ///< The last that closed.
    bool none = true;  ///< No round has closed yet: the reports are unknown, not empty.
    std::vector<ReportedNode> nodes;

    friend bool operator==(const ReportedReply&, const ReportedReply&) = default;
};

}  // namespace muster
