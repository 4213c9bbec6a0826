#include "common/codec/verbs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "common/codec/codec.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/text/nearest.hpp"

namespace muster::codec {

namespace {

template <class T>
VerbHelp help(std::string usage, std::string summary, std::string example) {
    return {std::string{tag<T>}, std::move(usage), std::move(summary), std::move(example)};
}

std::vector<VerbHelp> verbs_of_the_cluster() {
    return {
        help<HelpRequest>("help", "Lists every verb with an example.", "help"),
        help<PingRequest>("ping", "Says who answers: version, cluster, epoch.", "ping"),
        help<StatusRequest>("status", "The cluster in numbers, and what is wrong.", "status"),
        help<StatsRequest>("stats", "The same for monitors: every number and duration.", "stats"),
        help<ReportedRequest>("reported [PATTERN]",
                              "What the nodes that answered said in the last closed term.",
                              "reported n1"),
    };
}

std::vector<VerbHelp> verbs_of_nodes() {
    return {
        help<NodeListRequest>("node list [PATTERN]", "The nodes whose name matches.",
                              "node list n[1-40]"),
        help<NodeShowRequest>("node show NAME", "One node and every instance on it.",
                              "node show n1"),
        help<NodeOfflineRequest>("node offline PATTERN",
                                 "The nodes that match get no new work, until they are online.",
                                 "node offline n1"),
        help<NodeOnlineRequest>("node online PATTERN", "The nodes that match get work again.",
                                "node online n1"),
        help<NodeDrainRequest>("node drain PATTERN [DEADLINE]",
                               "Moves what runs on the nodes that match, then they are offline.",
                               "node drain n1 10m"),
        help<NodeForgiveRequest>("node forgive PATTERN",
                                 "Ends the penalties of the nodes that match.", "node forgive n1"),
        help<NodeAddRequest>("node add NAME...", "Lists names that may join.", "node add n7"),
        help<NodeRemoveRequest>("node remove PATTERN",
                                "Drains the nodes that match and refuses them from then on.",
                                "node remove n7"),
        help<NodeApplyRequest>(
            R"({"verb": "node apply", "nodes": [{"name": NAME, "pool": POOL}...], "force": BOOL})",
            "Makes this the list of nodes: adds those named, removes all others. "
            "With dry_run, only says what would change.",
            R"({"verb": "node apply", "dry_run": true, "nodes": [{"name": "n1"}, {"name": "n2"}]})"),
    };
}

std::vector<VerbHelp> verbs_of_tasks() {
    return {
        help<TaskListRequest>("task list [PATTERN]", "The tasks whose name matches.",
                              "task list web-*"),
        help<TaskShowRequest>("task show NAME",
                              "One task: its spec, its instances, what holds it up.",
                              "task show web"),
        help<GroupListRequest>("group list [PATTERN]", "The affinity groups whose name matches.",
                               "group list"),
        help<GroupShowRequest>("group show NAME",
                               "One affinity group: its tasks, and the nodes warm for it.",
                               "group show cache"),
        help<EventsRequest>("events [SINCE [LIMIT]]",
                            "Recent events whose sequence is above SINCE.", "events 0 20"),
        help<WaitRequest>("wait PATTERN [TIMEOUT]",
                          "Answers once the tasks that match are as wanted.", "wait web 30s"),
        help<ApplyRequest>(
            R"({"verb": "apply", "tasks": [TASK...], "replace": BOOL})",
            "Adds and changes tasks; with replace, removes all others. "
            "With dry_run, only says what would change.",
            R"({"verb": "apply", "dry_run": true, )"
            R"("tasks": [{"name": "web", "instances": 2, "argv": ["sleep", "60"]}]})"),
        help<TaskAddRequest>("task add NAME INSTANCES PROGRAM [ARGUMENT...]",
                             "Adds a task that is not there yet.", "task add web 2 sleep 3600"),
        help<TaskRemoveRequest>("task remove PATTERN", "Stops and forgets the tasks that match.",
                                "task remove web"),
        help<TaskScaleRequest>("task scale PATTERN INSTANCES",
                               "Changes the number of instances of the tasks that match.",
                               "task scale web 4"),
        help<TaskRestartRequest>("task restart PATTERN",
                                 "Replaces every instance, as a roll-out does.",
                                 "task restart web"),
        help<TaskSignalRequest>("task signal PATTERN SIGNAL",
                                "Sends a signal to the running instances that match.",
                                "task signal web HUP"),
        help<LogsRequest>("logs INSTANCE [stdout|stderr]",
                          "The first piece of what an instance printed; 'file' and 'offset' of an "
                          "answer ask for the next.",
                          "logs web.0"),
        help<UsageRequest>("usage [NODES [TASKS]]",
                           "What instances use of the processors and the memory of nodes.",
                           "usage n1"),
    };
}

std::vector<VerbHelp> verbs_of_planning() {
    return {
        help<TermNowRequest>(
            "term now", "Opens the next term as soon as the running one is closed.", "term now"),
        help<StoreAcceptRequest>("store accept [dry-run]",
                                 "Takes over the cluster of the nodes that are ahead.",
                                 "store accept dry-run"),
        help<ExplainRequest>("explain SUBJECT NAME",
                             "Why an instance is where it is, a task is as it is, or a node "
                             "serves or not.",
                             "explain instance web.3"),
        help<PlanRequest>("plan [fail KEY=PATTERN] [without PATTERN] [add N] [rebalance]",
                          "What the planner would do if. Changes nothing.",
                          "plan fail node=n2 without web add 5"),
        help<RebalanceRequest>("rebalance", "Makes an even spread once, when the term closes.",
                               "rebalance"),
        help<LimitListRequest>("limit list", "What operators limit, and how much of it is used.",
                               "limit list"),
        help<LimitSetRequest>("limit set NAME VALUE",
                              "Sets starts_per_term or moves_per_term to a number, or to none.",
                              "limit set starts_per_term 100"),
        help<FreezeShowRequest>(
            "freeze show", "Whether rescheduling is stopped, why, and until when.", "freeze show"),
        help<FreezeOnRequest>("freeze on", "Stops all rescheduling, until it is off.", "freeze on"),
        help<FreezeOffRequest>("freeze off",
                               "Ends a freeze: nodes that are silent are given up as lost.",
                               "freeze off"),
        help<LogLevelRequest>("log level LEVEL", "Changes the level of the coordinator's log.",
                              "log level debug"),
    };
}

HelpReply make_verbs() {
    HelpReply all;
    for (auto* const some :
         {verbs_of_the_cluster, verbs_of_nodes, verbs_of_tasks, verbs_of_planning}) {
        std::ranges::move(some(), std::back_inserter(all.verbs));
    }
    return all;
}

}  // namespace

const HelpReply& verbs() {
    static const HelpReply all = make_verbs();
    return all;
}

std::string_view verb_of(const RequestBody& body) {
    return std::visit([]<class T>(const T&) { return tag<T>; }, body);
}

bool is_change(const RequestBody& body) {
    if (const auto* const apply = std::get_if<ApplyRequest>(&body)) {
        return !apply->dry_run;
    }
    if (const auto* const accept = std::get_if<StoreAcceptRequest>(&body)) {
        return !accept->dry_run;
    }
    if (const auto* const apply = std::get_if<NodeApplyRequest>(&body)) {
        return !apply->dry_run;
    }
    return std::holds_alternative<NodeOfflineRequest>(body) ||
           std::holds_alternative<NodeOnlineRequest>(body) ||
           std::holds_alternative<NodeDrainRequest>(body) ||
           std::holds_alternative<NodeForgiveRequest>(body) ||
           std::holds_alternative<NodeAddRequest>(body) ||
           std::holds_alternative<NodeRemoveRequest>(body) ||
           std::holds_alternative<LimitSetRequest>(body) ||
           std::holds_alternative<FreezeOnRequest>(body) ||
           std::holds_alternative<FreezeOffRequest>(body) ||
           std::holds_alternative<TaskAddRequest>(body) ||
           std::holds_alternative<TaskRemoveRequest>(body) ||
           std::holds_alternative<TaskScaleRequest>(body) ||
           std::holds_alternative<TaskRestartRequest>(body);
}

tl::unexpected<Error> unknown_verb(std::string_view verb) {
    std::vector<std::string_view> known;
    for (const auto& help : verbs().verbs) {
        known.push_back(help.verb);
    }
    auto near = nearest(verb, known);
    if (near.empty()) {
        near = nearest(verb.substr(0, verb.find(' ')), known);
    }
    std::string detail =
        "there is no verb '" + std::string{verb.substr(0, limits::name_bytes)} + "'; ";
    for (std::size_t i = 0; i < near.size(); ++i) {
        detail += (i == 0 ? "near it: '" : ", '") + std::string{near[i]} + "'";
    }
    return fail(Errc::unknown_verb, detail + (near.empty() ? "" : "; ") + "'help' lists them all");
}

}  // namespace muster::codec
