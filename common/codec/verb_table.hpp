#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "common/codec/fields/operator.hpp"
#include "common/messages/operator.hpp"

/// The one table of verbs: help, completion, what counts as a change and the digest of a change
/// follow from it. A request that is not in it does not compile.
namespace muster::codec {

/// A change becomes durable and takes effect once by its id; a read does neither.
enum class Access : std::uint8_t { read, change };

struct Verb {
    std::size_t request;  ///< Its place in RequestBody.
    std::string_view name;
    Access access;
    std::string_view usage;
    std::string_view summary;
    std::string_view example;  ///< It works as it is.
};

namespace verb_table {

template <class Request, class... Requests>
consteval std::size_t place_of(const std::variant<Requests...>* /*all*/) {
    std::size_t place = 0;
    static_cast<void>(((std::is_same_v<Request, Requests> ? true : (++place, false)) || ...));
    return place;
}

template <class Request>
consteval Verb row(Access access, std::string_view usage, std::string_view summary,
                   std::string_view example) {
    constexpr const RequestBody* all = nullptr;
    return {place_of<Request>(all), tag<Request>, access, usage, summary, example};
}

}  // namespace verb_table

/// In the order of `muster help`.
inline constexpr auto verb_rows = [] {
    using verb_table::row;
    return std::array{
        row<HelpRequest>(Access::read, "help", "Lists every verb with an example.", "help"),
        row<PingRequest>(Access::read, "ping", "Says who answers: version, cluster, epoch.",
                         "ping"),
        row<StatusRequest>(Access::read, "status", "The cluster in numbers, and what is wrong.",
                           "status"),
        row<StatsRequest>(Access::read, "stats",
                          "The same for monitors: every number and duration.", "stats"),
        row<ReportedRequest>(Access::read, "reported [PATTERN]",
                             "What the nodes that answered said in the last closed term.",
                             "reported n1"),
        row<NodeListRequest>(Access::read, "node list [PATTERN]", "The nodes whose name matches.",
                             "node list n[1-40]"),
        row<NodeShowRequest>(Access::read, "node show NAME", "One node and every instance on it.",
                             "node show n1"),
        row<NodeOfflineRequest>(Access::change, "node offline PATTERN",
                                "The nodes that match get no new work, until they are online.",
                                "node offline n1"),
        row<NodeOnlineRequest>(Access::change, "node online PATTERN",
                               "The nodes that match get work again.", "node online n1"),
        row<NodeDrainRequest>(Access::change, "node drain PATTERN [DEADLINE]",
                              "Moves what runs on the nodes that match, then they are offline.",
                              "node drain n1 10m"),
        row<NodeForgiveRequest>(Access::change, "node forgive PATTERN",
                                "Ends the penalties of the nodes that match.", "node forgive n1"),
        row<NodeAddRequest>(Access::change, "node add NAME...", "Lists names that may join.",
                            "node add n7"),
        row<NodeRemoveRequest>(Access::change, "node remove PATTERN",
                               "Drains the nodes that match and refuses them from then on.",
                               "node remove n7"),
        row<NodeApplyRequest>(
            Access::change,
            R"({"verb": "node apply", "nodes": [{"name": NAME, "pool": POOL}...], "force": BOOL})",
            "Makes this the list of nodes: adds those named, removes all others. "
            "With dry_run, only says what would change.",
            R"({"verb": "node apply", "dry_run": true, "nodes": [{"name": "n1"}, {"name": "n2"}]})"),
        row<TaskListRequest>(Access::read, "task list [PATTERN]", "The tasks whose name matches.",
                             "task list web-*"),
        row<TaskShowRequest>(Access::read, "task show NAME",
                             "One task: its spec, its instances, what holds it up.",
                             "task show web"),
        row<GroupListRequest>(Access::read, "group list [PATTERN]",
                              "The affinity groups whose name matches.", "group list"),
        row<GroupShowRequest>(Access::read, "group show NAME",
                              "One affinity group: its tasks, and the nodes warm for it.",
                              "group show cache"),
        row<EventsRequest>(Access::read, "events [SINCE [LIMIT]]",
                           "Recent events whose sequence is above SINCE.", "events 0 20"),
        row<WaitRequest>(Access::read, "wait PATTERN [TIMEOUT]",
                         "Answers once the tasks that match are as wanted.", "wait web 30s"),
        row<ApplyRequest>(
            Access::change, R"({"verb": "apply", "tasks": [TASK...], "replace": BOOL})",
            "Adds and changes tasks; with replace, removes all others. "
            "With dry_run, only says what would change.",
            R"({"verb": "apply", "dry_run": true, )"
            R"("tasks": [{"name": "web", "instances": 2, "argv": ["sleep", "60"]}]})"),
        row<TaskAddRequest>(Access::change, "task add NAME INSTANCES PROGRAM [ARGUMENT...]",
                            "Adds a task that is not there yet.", "task add web 2 sleep 3600"),
        row<TaskRemoveRequest>(Access::change, "task remove PATTERN",
                               "Stops and forgets the tasks that match.", "task remove web"),
        row<TaskScaleRequest>(Access::change, "task scale PATTERN INSTANCES",
                              "Changes the number of instances of the tasks that match.",
                              "task scale web 4"),
        row<TaskRestartRequest>(Access::change, "task restart PATTERN",
                                "Replaces every instance, as a roll-out does.", "task restart web"),
        row<TaskSignalRequest>(Access::read, "task signal PATTERN SIGNAL",
                               "Sends a signal to the running instances that match.",
                               "task signal web HUP"),
        row<LogsRequest>(Access::read, "logs INSTANCE [stdout|stderr]",
                         "The first piece of what an instance printed; 'file' and 'offset' of an "
                         "answer ask for the next.",
                         "logs web.0"),
        row<UsageRequest>(Access::read, "usage [NODES [TASKS]]",
                          "What instances use of the processors and the memory of nodes.",
                          "usage n1"),
        row<TermNowRequest>(Access::read, "term now",
                            "Opens the next term as soon as the running one is closed.",
                            "term now"),
        row<StoreAcceptRequest>(Access::change, "store accept [dry-run]",
                                "Takes over the cluster of the nodes that are ahead.",
                                "store accept dry-run"),
        row<ExplainRequest>(Access::read, "explain SUBJECT NAME",
                            "Why an instance is where it is, a task is as it is, or a node "
                            "serves or not.",
                            "explain instance web.3"),
        row<PlanRequest>(Access::read,
                         "plan [fail KEY=PATTERN] [without PATTERN] [add N] [rebalance]",
                         "What the planner would do if. Changes nothing.",
                         "plan fail node=n2 without web add 5"),
        row<RebalanceRequest>(Access::read, "rebalance",
                              "Makes an even spread once, when the term closes.", "rebalance"),
        row<LimitListRequest>(Access::read, "limit list",
                              "What operators limit, and how much of it is used.", "limit list"),
        row<LimitSetRequest>(Access::change, "limit set NAME VALUE",
                             "Sets starts_per_term or moves_per_term to a number, or to none.",
                             "limit set starts_per_term 100"),
        row<FreezeShowRequest>(Access::read, "freeze show",
                               "Whether rescheduling is stopped, why, and until when.",
                               "freeze show"),
        row<FreezeOnRequest>(Access::change, "freeze on",
                             "Stops all rescheduling, until it is off.", "freeze on"),
        row<FreezeOffRequest>(Access::change, "freeze off",
                              "Ends a freeze: nodes that are silent are given up as lost.",
                              "freeze off"),
        row<LogLevelRequest>(Access::read, "log level LEVEL",
                             "Changes the level of the coordinator's log.", "log level debug"),
    };
}();

namespace verb_table {

consteval bool has_each_once() {
    for (std::size_t request = 0; request < std::variant_size_v<RequestBody>; ++request) {
        if (std::ranges::count(verb_rows, request, &Verb::request) != 1) {
            return false;
        }
    }
    return true;
}
static_assert(has_each_once(), "every request has one row in the table of verbs");

}  // namespace verb_table

/// The row of a kind of request.
template <class Request>
[[nodiscard]] consteval const Verb& verb_row() {
    constexpr const RequestBody* all = nullptr;
    return *std::ranges::find(verb_rows, verb_table::place_of<Request>(all), &Verb::request);
}

}  // namespace muster::codec
