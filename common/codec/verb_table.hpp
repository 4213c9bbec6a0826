#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/messages/operator.hpp"
#include "common/messages/role.hpp"

/// The name, arguments and meaning of each verb, in one place. Text requests, `help`, the set of
/// changes, the digest of a change and the list in docs/reference/protocol.md are made from it.
/// With the options of cli/verb_table.cpp it also gives the command line and its completion. A
/// request without a row does not compile. A new verb touches more than this table: see ADR 3.
namespace muster::codec {

/// A change becomes durable and takes effect once by its id; a read does neither.
enum class Access : std::uint8_t { read, change };

/// The subject of a verb.
enum class Area : std::uint8_t {
    tasks,
    nodes,
    groups,
    pools,
    planning,
    cluster,
    freeze,
    limits,
    keys,
};

[[nodiscard]] constexpr std::string_view to_string(Area area) {
    constexpr std::array<std::string_view, 9> names{
        "tasks", "nodes", "groups", "pools", "planning", "cluster", "freeze", "limits", "keys"};
    return names[static_cast<std::size_t>(area)];
}

struct Verb {
    std::size_t request;  ///< Its place in RequestBody.
    std::size_t reply;    ///< The place of its answer in ReplyBody.
    std::string_view name;
    std::string_view answer;  ///< The kind of its reply.
    Area area;
    Access access;
    Role role;               ///< The least role that may send it.
    std::string_view usage;  ///< The words after the name in a line of text; or a request in JSON.
    std::string_view summary;
    std::string_view example;  ///< It works as it is.

    /// True if only JSON can hold its arguments.
    [[nodiscard]] constexpr bool is_json() const { return usage.starts_with('{'); }
};

/// How many words a usage needs: `PATTERN [DEADLINE]` for one or two.
struct WordCount {
    std::size_t least = 0;
    std::size_t most = 0;
};
inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

/// Words in brackets are optional; dots stand for any number of words. `-f FILE` and placeholders
/// of options do not count.
[[nodiscard]] constexpr WordCount count_words(std::string_view usage) {
    WordCount count;
    std::ptrdiff_t brackets = 0;
    while (!usage.empty() && !usage.starts_with("-f")) {
        const std::string_view word = usage.substr(0, usage.find(' '));
        usage.remove_prefix(std::min(usage.size(), word.size() + 1));
        if (word == "--" || word == "[OPTIONS]") {
            continue;
        }
        brackets += std::ranges::count(word, '[');
        count.least += brackets > 0 ? 0U : 1U;
        count.most = word.find("...") == std::string_view::npos && count.most != any_number
                         ? count.most + 1
                         : any_number;
        brackets -= std::ranges::count(word, ']');
    }
    return count;
}

/// The kind of a reply that answers several verbs, or has another name than its verb.
template <class Reply>
inline constexpr std::string_view own_kind{};
template <>
inline constexpr std::string_view own_kind<RoundReply> = "round";
template <>
inline constexpr std::string_view own_kind<ChangeReply> = "change";
template <>
inline constexpr std::string_view own_kind<NodesChangeReply> = "node change";
template <>
inline constexpr std::string_view own_kind<LimitsReply> = "limits";
template <>
inline constexpr std::string_view own_kind<FreezeReply> = "freeze";
template <>
inline constexpr std::string_view own_kind<KeysReply> = "keys";
template <>
inline constexpr std::string_view own_kind<TokensReply> = "tokens";
template <>
inline constexpr std::string_view own_kind<AuditReply> = "audit";
template <>
inline constexpr std::string_view own_kind<SecretsReply> = "secrets";
template <>
inline constexpr std::string_view own_kind<CoordinatorsReply> = "coordinators";
template <>
inline constexpr std::string_view own_kind<UpgradeReply> = "upgrade";
template <>
inline constexpr std::string_view own_kind<DemandReply> = "demand";
template <>
inline constexpr std::string_view own_kind<PoolChangeReply> = "pool change";

namespace verb_table {

template <class Body, class... Bodies>
consteval std::size_t place_of(const std::variant<Bodies...>* /*all*/) {
    std::size_t place = 0;
    static_cast<void>(((std::is_same_v<Body, Bodies> ? true : (++place, false)) || ...));
    return place;
}
inline constexpr const RequestBody* requests = nullptr;
inline constexpr const ReplyBody* replies = nullptr;

template <class Request, class Answer>
consteval Verb row(std::string_view name, Area area, Access access, Role role,
                   std::string_view usage, std::string_view summary, std::string_view example) {
    constexpr std::string_view kind = own_kind<Answer>;
    return {.request = place_of<Request>(requests),
            .reply = place_of<Answer>(replies),
            .name = name,
            .answer = kind.empty() ? name : kind,
            .area = area,
            .access = access,
            .role = role,
            .usage = usage,
            .summary = summary,
            .example = example};
}

}  // namespace verb_table

// clang-format off

/// In the order of `help`.
inline constexpr auto verb_rows = [] {
    using verb_table::row;
    using enum Area;
    using enum Access;
    using enum Role;
    return std::array{
        row<HelpRequest, HelpReply>("help", cluster, read, observer, "",
            "list the verbs, each with an example", "help"),
        row<PingRequest, PingReply>("ping", cluster, read, observer, "",
            "which coordinator answers", "ping"),
        row<StatusRequest, StatusReply>("status", cluster, read, observer, "",
            "the cluster in a few lines, and what is wrong", "status"),
        row<StatsRequest, StatsReply>("stats", cluster, read, observer, "",
            "all metrics of the cluster and the coordinator", "stats"),
        row<ReportedRequest, ReportedReply>("reported", cluster, read, observer, "[PATTERN]",
            "what each node reported in the last closed round", "reported n1"),
        row<NodeListRequest, NodeListReply>("node list", nodes, read, observer, "[PATTERN]",
            "nodes and their health", "node list n[1-40]"),
        row<NodeShowRequest, NodeShowReply>("node show", nodes, read, observer, "NAME",
            "a node and its instances", "node show n1"),
        row<NodeOfflineRequest, NodesChangeReply>("node offline", nodes, change, operator_, "PATTERN",
            "give matching nodes no new instances", "node offline n1"),
        row<NodeOnlineRequest, NodesChangeReply>("node online", nodes, change, operator_, "PATTERN",
            "give matching nodes new instances again", "node online n1"),
        row<NodeDrainRequest, NodesChangeReply>("node drain", nodes, change, operator_, "PATTERN [DEADLINE]",
            "move all instances off matching nodes, then set them offline", "node drain n1 10m"),
        row<NodeForgiveRequest, NodesChangeReply>("node forgive", nodes, change, operator_, "PATTERN",
            "clear the flap score and end the suspension of nodes", "node forgive n1"),
        row<NodeAddRequest, NodesChangeReply>("node add", nodes, change, operator_, "NAME...",
            "allow these names to join, also names that were removed", "node add n7 n8"),
        row<NodeRemoveRequest, NodesChangeReply>("node remove", nodes, change, operator_, "PATTERN",
            "drain matching nodes, then delete and refuse them", "node remove n7"),
        row<NodeApplyRequest, NodesChangeReply>("node apply", nodes, change, operator_, 
            R"({"verb": "node apply", "nodes": [{"name": NAME, "pool": POOL}...], "force": BOOL, "dry_run": BOOL})",
            "set the list of nodes: add the named ones, remove all others",
            R"({"verb": "node apply", "dry_run": true, "nodes": [{"name": "n1"}, {"name": "n2"}]})"),
        row<NodeAcceptRequest, KeysReply>("node accept", keys, change, admin, "NAME FINGERPRINT",
            "admit a host that enrolled without a token",
            "node accept n1 0123-4567-89ab-cdef-0123-4567-89ab-cdef"),
        row<TaskListRequest, TaskListReply>("task list", tasks, read, observer, "[PATTERN]",
            "tasks, wanted and running", "task list web-*"),
        row<TaskShowRequest, TaskShowReply>("task show", tasks, read, observer, "NAME",
            "a task: its spec, its instances, what blocks it", "task show web"),
        row<GroupListRequest, GroupListReply>("group list", groups, read, observer, "[PATTERN]",
            "affinity groups, and how many nodes ran each of them last", "group list"),
        row<GroupShowRequest, GroupShowReply>("group show", groups, read, observer, "NAME",
            "a group's tasks, and the nodes that ran it last", "group show cache"),
        row<DemandSetRequest, DemandReply>("demand set", pools, read, operator_,
            "POOL REPORTER AMOUNT",
            "say how much of a pool somebody needs, for 10 s; 0 is none", "demand set web lb-1 300"),
        row<DemandListRequest, DemandListReply>("demand list", pools, read, observer, "[PATTERN]",
            "who needs how much of which pool", "demand list"),
        row<PoolListRequest, PoolListReply>("pool list", pools, read, observer, "[PATTERN]",
            "the pools: their nodes, and how much of them is needed", "pool list"),
        row<PoolForecastRequest, PoolForecastReply>("pool forecast", pools, read, observer, "NAME",
            "what predictors expect a pool to need, and their errors", "pool forecast web"),
        row<PoolShowRequest, PoolShowReply>("pool show", pools, read, observer, "NAME",
            "a pool: its definition, its nodes, and why it has its size", "pool show web"),
        row<PoolMembersRequest, PoolMembersReply>("pool members", pools, read, observer, "NAME [EPOCH VERSION]",
            "the nodes that serve, in the order in which they began", "pool members web"),
        row<PoolCreateRequest, PoolChangeReply>("pool create", pools, change, admin,
            R"({"verb": "pool create", "name": NAME, "provider": PROVIDER, "min": N, "max": N, ...})",
            "define a pool, whose size then follows its demand",
            R"({"verb": "pool create", "name": "web", "unit": "slots", "max": 10})"),
        row<PoolSetRequest, PoolChangeReply>("pool set", pools, change, operator_,
            R"({"verb": "pool set", "name": NAME, "min": N, "max": N, ...})",
            "change parts of the definition of a pool",
            R"({"verb": "pool set", "name": "web", "max": 20})"),
        row<PoolRemoveRequest, PoolChangeReply>("pool remove", pools, change, admin, "NAME",
            "forget the definition of a pool without provided nodes", "pool remove web"),
        row<PoolPauseRequest, PoolChangeReply>("pool pause", pools, change, operator_, "NAME",
            "ask for no node and begin no drain until 'pool resume'", "pool pause web"),
        row<PoolResumeRequest, PoolChangeReply>("pool resume", pools, change, operator_, "NAME",
            "size the pool again; accept a listing that misses many nodes", "pool resume web"),
        row<EventsRequest, EventsReply>("events", cluster, read, observer, "[SINCE [LIMIT]]",
            "recent events with a sequence number above SINCE", "events 0 20"),
        row<WaitRequest, WaitReply>("wait", tasks, read, observer, "PATTERN [TIMEOUT]",
            "wait until the tasks that match run as wanted", "wait web 30s"),
        row<ApplyRequest, ChangeReply>("apply", tasks, change, operator_, 
            R"({"verb": "apply", "tasks": [TASK...], "replace": BOOL, "dry_run": BOOL})",
            "add and change tasks; with replace, remove all others; with dry_run, only show what would change",
            R"({"verb": "apply", "dry_run": true, "tasks": [{"name": "web", "instances": 2, "argv": ["sleep", "60"]}]})"),
        row<TaskAddRequest, ChangeReply>("task add", tasks, change, operator_, "NAME INSTANCES PROGRAM [ARGUMENT...]",
            "add a new task", "task add web 2 sleep 3600"),
        row<TaskRemoveRequest, ChangeReply>("task remove", tasks, change, operator_, "PATTERN",
            "stop matching tasks and delete them", "task remove web"),
        row<TaskScaleRequest, ChangeReply>("task scale", tasks, change, operator_, "PATTERN INSTANCES",
            "change how many instances are wanted", "task scale web 4"),
        row<TaskRestartRequest, ChangeReply>("task restart", tasks, change, operator_, "PATTERN",
            "replace every instance in a roll-out", "task restart web"),
        row<TaskSignalRequest, TaskSignalReply>("task signal", tasks, read, operator_, "PATTERN SIGNAL",
            "send a signal to running instances: TERM, HUP, USR1, ...", "task signal web HUP"),
        row<LogsRequest, LogsReply>("logs", tasks, read, observer, "INSTANCE [stdout|stderr]",
            "a piece of what an instance printed; its 'file' and 'offset' ask for the next", "logs web.0"),
        row<UsageRequest, UsageReply>("usage", tasks, read, observer, "[NODES [TASKS]]",
            "CPU and memory that nodes and instances use", "usage n1"),
        row<RoundNowRequest, RoundReply>("round now", cluster, read, operator_, "",
            "open the next round as soon as the current one closes", "round now"),
        row<StoreAcceptRequest, StoreAcceptReply>("store accept", cluster, change, admin, "[dry-run]",
            "take over the nodes that are ahead of the store", "store accept dry-run"),
        row<ExplainRequest, ExplainReply>("explain", planning, read, observer, "[SUBJECT] NAME",
            "why an instance, a task, a node or a pool is in its state", "explain web.3"),
        row<PlanRequest, PlanReply>("plan", planning, read, observer, "[fail KEY=PATTERN]... [without PATTERN]... [add N] [rebalance]",
            "what the planner would do in a what-if; nothing changes", "plan fail node=n2 without web add 5"),
        row<RebalanceRequest, RebalanceReply>("rebalance", planning, read, operator_, "",
            "balance the load once, when the round closes; plan shows the moves first", "rebalance"),
        row<LimitListRequest, LimitsReply>("limit list", limits, read, observer, "",
            "the limits of the cluster, and how much of them is used", "limit list"),
        row<LimitSetRequest, LimitsReply>("limit set", limits, change, operator_, "NAME VALUE",
            "set starts_per_round or moves_per_round; 'none': the default", "limit set starts_per_round 100"),
        row<FreezeShowRequest, FreezeReply>("freeze show", freeze, read, observer, "",
            "whether rescheduling is stopped, why and until when", "freeze show"),
        row<FreezeOnRequest, FreezeReply>("freeze on", freeze, change, admin, "",
            "stop all rescheduling until 'freeze off'", "freeze on"),
        row<FreezeOffRequest, FreezeReply>("freeze off", freeze, change, admin, "",
            "end a freeze; silent nodes become lost", "freeze off"),
        row<KeyListRequest, KeysReply>("key list", keys, read, operator_, "[PATTERN]",
            "keys, their roles and whether they are valid", "key list"),
        row<KeyAddRequest, KeysReply>("key add", keys, change, admin, "NAME ROLE KEY",
            "admit a key, or a second key for a name",
            "key add ann operator 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"),
        row<KeyRevokeRequest, KeysReply>("key revoke", keys, change, admin, "PATTERN",
            "refuse these keys from now on, and the names, too", "key revoke ann"),
        row<KeyRemoveRequest, KeysReply>("key remove", keys, change, admin, "PATTERN",
            "forget names and their keys", "key remove ann"),
        row<KeyRotateRequest, KeysReply>("key rotate", keys, change, admin, "NAME",
            "ask an agent for a new key, which then replaces the present one", "key rotate n1"),
        row<KeyRenewRequest, KeysReply>("key renew", keys, change, observer, "KEY",
            "add a key to the caller's own name; its first use retires the present one",
            "key renew 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"),
        row<EnrolRequest, EnrolReply>("enrol", keys, change, agent, "NAME SECRET",
            "ask that this host be admitted; only on the endpoint for enrolment",
            "enrol n1 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"),
        row<TokenListRequest, TokensReply>("token list", keys, read, operator_, "",
            "open tokens, with which hosts may enrol", "token list"),
        row<TokenCreateRequest, TokensReply>("token create", keys, change, admin, "PATTERN HASH [TTL]",
            "open a token, by the hash of its secret",
            "token create n1 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"),
        row<TokenRevokeRequest, TokensReply>("token revoke", keys, change, admin, "ID",
            "close a token", "token revoke 2021222324252627"),
        row<SecretListRequest, SecretsReply>("secret list", keys, read, operator_, "",
            "secrets that the coordinator keeps for tasks, without their values", "secret list"),
        row<SecretSetRequest, SecretsReply>("secret set", keys, change, admin,
            R"({"verb": "secret set", "name": NAME, "value": BASE64})",
            "keep a value for tasks that name it in cluster_secrets",
            R"({"verb": "secret set", "name": "db", "value": "aHVudGVyMg=="})"),
        row<SecretRemoveRequest, SecretsReply>("secret remove", keys, change, admin, "NAME",
            "forget a secret that no task names", "secret remove db"),
        row<AuditShowRequest, AuditReply>("audit show", keys, read, admin, "[SINCE [LIMIT]]",
            "who changed what and what was refused: rows after number SINCE, else the newest", "audit show 0 20"),
        row<AuditVerifyRequest, AuditVerifyReply>("audit verify", keys, read, admin, "",
            "whether a row of the audit was edited or is missing", "audit verify"),
        row<CoordinatorListRequest, CoordinatorsReply>("coordinator list", cluster, read, observer, "",
            "the coordinators, and who leads",
            "coordinator list"),
        row<CoordinatorResignRequest, CoordinatorsReply>("coordinator resign", cluster, change, admin, "",
            "the leader hands over to another coordinator, at once", "coordinator resign"),
        row<UpgradeFinishRequest, UpgradeReply>("upgrade finish", cluster, change, admin, "[dry-run]",
            "end an upgrade; older coordinators cannot lead any more",
            "upgrade finish dry-run"),
        row<LogLevelRequest, LogLevelReply>("log level", cluster, read, admin, "LEVEL",
            "set the log level: trace, debug, info, warn or error", "log level debug"),
    };
}();

// clang-format on

namespace verb_table {

consteval bool has_each_once() {
    for (std::size_t request = 0; request < std::variant_size_v<RequestBody::Base>; ++request) {
        if (std::ranges::count(verb_rows, request, &Verb::request) != 1) {
            return false;
        }
    }
    return true;
}
static_assert(has_each_once(), "every request has one row in the table of verbs");
static_assert(std::ranges::none_of(verb_rows,
                                   [](const Verb& verb) {
                                       return verb.access == Access::change &&
                                              verb.role == Role::observer &&
                                              verb.name != "key renew";
                                   }),
              "an observer changes nothing but its own key");
static_assert(std::ranges::count(verb_rows, Role::agent, &Verb::role) == 1,
              "an agent sends no requests of operators; a host that is not admitted yet sends one");

}  // namespace verb_table

/// The row of a kind of request.
template <class Request>
[[nodiscard]] consteval const Verb& verb_row() {
    return *std::ranges::find(verb_rows, verb_table::place_of<Request>(verb_table::requests),
                              &Verb::request);
}

/// The verb of a request.
template <class Request>
    requires(verb_table::place_of<Request>(verb_table::requests) <
             std::variant_size_v<RequestBody::Base>)
inline constexpr std::string_view tag<Request> = verb_row<Request>().name;

/// The kind of a reply.
template <class Reply>
    requires(verb_table::place_of<Reply>(verb_table::replies) <
             std::variant_size_v<ReplyBody::Base>)
inline constexpr std::string_view tag<Reply> =
    std::ranges::find(verb_rows, verb_table::place_of<Reply>(verb_table::replies), &Verb::reply)
        ->answer;

/// The whole line of text, or the request in JSON: `node drain PATTERN [DEADLINE]`.
[[nodiscard]] std::string usage_of(const Verb& verb);

/// The error for an unknown verb, with similar ones.
[[nodiscard]] tl::unexpected<Error> unknown_verb(std::string_view verb);

}  // namespace muster::codec
