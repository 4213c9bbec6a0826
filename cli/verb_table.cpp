#include "cli/verb_table.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "common/base/ensure.hpp"

namespace muster::cli {

namespace {

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

constexpr OptionEntry watch{"--watch", 'w', "", "show it again and again, until Ctrl-C"};
constexpr OptionEntry interval{"--interval", '\0', "TIME", "pause between two of --watch (1s)"};
constexpr OptionEntry file{"--file", 'f', "FILE", "the task file; - is standard input",
                           Words::file};
constexpr OptionEntry replace{"--replace", '\0', "",
                              "make the file the whole wanted set: remove what it does not name"};
constexpr OptionEntry force{"--force", '\0', "", "take labels that no node has"};
constexpr OptionEntry dry_run{"--dry-run", '\0', "", "only show what would be done"};
constexpr OptionEntry yes{"--yes", 'y', "", "do not ask before anything is removed"};

constexpr std::array common{
    OptionEntry{"--coordinator", 'c', "ENDPOINT",
                "where it listens to operators (MUSTER_COORDINATOR; its local socket, if "
                "there; tcp://127.0.0.1:7701)"},
    OptionEntry{"--timeout", 't', "TIME", "how long to wait: 500ms, 2m (5s; wait: 30s)"},
    OptionEntry{"--output", 'o', "FORMAT", "table or json", Words::format},
    OptionEntry{"--run-dir", '\0', "DIR", "where its local socket is looked for", Words::file},
    OptionEntry{"--help", 'h', "", "explain the verb"},
};

constexpr std::array read_options{watch, interval};
constexpr std::array status_options{
    watch, interval, OptionEntry{"--check", '\0', "", "exit with 3 unless it is converged"},
    OptionEntry{"--reported", '\0', "", "what each node said in the last closed term"}};
constexpr std::array apply_options{file, replace, yes, force};
constexpr std::array plan_options{
    file,
    replace,
    force,
    OptionEntry{"--fail", '\0', "KEY=PATTERN",
                "what if these nodes were lost: node=n7, or of a label rack=r3; may be repeated"},
    OptionEntry{"--without-task", '\0', "PATTERN",
                "what if these tasks were not wanted; may be repeated", Words::task},
    OptionEntry{"--add-nodes", '\0', "N", "what if so many nodes joined"},
    OptionEntry{"--rebalance", '\0', "", "what 'muster rebalance' would move"},
    watch,
    interval};
constexpr std::array add_options{
    OptionEntry{"--instances", 'n', "N", "how many are wanted (1)"},
    OptionEntry{"--env", 'e', "KEY=VALUE", "set in its environment; may be repeated"},
    OptionEntry{"--workdir", '\0', "DIR", "where it runs (a directory of its own)", Words::file},
    OptionEntry{"--restart", '\0', "POLICY", "always, on-failure or never (always)", Words::policy},
    OptionEntry{"--max-per-node", '\0', "N", "instances on one node at most (1)"},
    OptionEntry{"--stop-signal", '\0', "NAME", "what ends it: TERM, INT, QUIT, ... (TERM)"},
    OptionEntry{"--grace", '\0', "TIME", "from that signal to the kill (10s)"},
    OptionEntry{"--pool", '\0', "POOL", "only nodes of this pool (default)"},
    OptionEntry{"--constraint", '\0', "CONSTRAINT",
                "what its nodes' labels must be, as in 'rack != r7'; may be repeated"},
    OptionEntry{"--cpu-milli", '\0', "N", "thousandths of a core that each instance needs (0)"},
    OptionEntry{"--memory-bytes", '\0', "N", "memory that each instance needs (0)"},
    OptionEntry{"--slots", '\0', "N", "slots that each instance takes (1)"},
    OptionEntry{"--spread", '\0', "LABEL", "share the instances among the values of this label"},
    OptionEntry{"--group", '\0', "GROUP", "prefer nodes that ran this group last"},
    OptionEntry{"--every-node", '\0', "", "one instance on each node that fits"},
    OptionEntry{"--pinned", '\0', "", "never moved for the balance"},
    OptionEntry{"--priority", '\0', "N",
                "who is placed first when room is short: -1000 to 1000 (0)"},
    OptionEntry{"--reschedule-after", '\0', "TIME",
                "how long it waits for a node that is lost (0s)"},
    OptionEntry{"--reconcile", '\0', "WHICH",
                "which of two equally good copies stays: original or replacement (original)",
                Words::reconcile},
    force,
};
constexpr std::array event_options{
    OptionEntry{"--follow", '\0', "", "go on as they happen, until Ctrl-C"},
    OptionEntry{"--since", '\0', "N",
                "only those after this number of the present epoch (0: all kept)"},
    OptionEntry{"--events", '\0', "ENDPOINT",
                "where events are published (MUSTER_EVENTS; the coordinator says it)"},
};
constexpr std::array log_options{
    OptionEntry{"--follow", 'f', "", "go on as it is printed, until Ctrl-C"},
    OptionEntry{"--stderr", '\0', "", "what it printed to standard error, not to standard output"},
    OptionEntry{"--since", '\0', "TIME", "from about so long ago on: 10m (all that is kept)"},
    OptionEntry{"--node", '\0', "NODE", "what it printed on this node (on that where it is)",
                Words::node},
};
constexpr std::array top_options{
    OptionEntry{"--node", '\0', "PATTERN", "only nodes that match (all)", Words::node},
    OptionEntry{"--once", '\0', "", "measure once, and end"},
    OptionEntry{"--interval", '\0', "TIME", "over which it is measured (1s)"},
};
constexpr OptionEntry reason{"--reason", '\0', "TEXT", "why, for people: kept and shown with it"};
constexpr OptionEntry force_of_node{
    "--force", '\0', "", "also the last node of a pool; what has no other place is stopped"};
constexpr std::array intent_options{reason};
constexpr std::array drain_options{
    OptionEntry{"--deadline", '\0', "TIME", "when it should have ended, from now: 10m (none)"},
    force_of_node, reason,
    OptionEntry{"--watch", 'w', "", "wait until it is done, or its deadline has passed (5)"},
    interval};
constexpr std::array node_add_options{
    OptionEntry{"--pool", '\0', "POOL", "their pool (as their agents say)"}, reason};
constexpr std::array node_remove_options{
    OptionEntry{"--force", '\0', "", "at once, without a drain: what runs there is left to it"},
    reason, yes};
constexpr std::array node_apply_options{
    OptionEntry{"--file", 'f', "FILE", "the list of nodes; - is standard input", Words::file},
    OptionEntry{"--force", '\0', "", "remove at once, without a drain"}, reason, dry_run, yes};
constexpr std::array accept_options{dry_run};
constexpr std::array remove_options{yes};

// A table reads as a table.
// clang-format off
constexpr std::array table{
    VerbEntry{Verb::apply, Run::change, "apply", "-f FILE", 0, 0, Words::anything, apply_options,
              "add and change tasks as a file says",
              "muster apply -f tasks.toml"},
    VerbEntry{Verb::plan, Run::read, "plan", "-f FILE | WHAT-IF...", 0, 0, Words::anything, plan_options,
              "what apply would do, or what if; exit 3 if it changes anything",
              "muster plan --fail rack=r3"},
    VerbEntry{Verb::status, Run::read, "status", "", 0, 0, Words::anything, status_options,
              "the cluster in a few lines",
              "muster status --watch"},
    VerbEntry{Verb::stats, Run::read, "stats", "", 0, 0, Words::anything, read_options,
              "every number there is of the cluster and the coordinator",
              "muster stats"},
    VerbEntry{Verb::node_list, Run::read, "node list", "[PATTERN]", 0, 1, Words::node, read_options,
              "nodes and their health",
              "muster node list 'web-[1-40,52]'"},
    VerbEntry{Verb::node_show, Run::read, "node show", "PATTERN", 1, 1, Words::node, read_options,
              "a node, or each that matches, and what it runs",
              "muster node show web-7"},
    VerbEntry{Verb::node_offline, Run::change, "node offline", "PATTERN", 1, 1, Words::node, intent_options,
              "give nodes that match no work until they are online",
              "muster node offline n7 --reason 'bad disk'"},
    VerbEntry{Verb::node_online, Run::change, "node online", "PATTERN", 1, 1, Words::node, intent_options,
              "give the nodes that match work again",
              "muster node online n7"},
    VerbEntry{Verb::node_drain, Run::drain, "node drain", "PATTERN", 1, 1, Words::node, drain_options,
              "move what runs on the nodes that match, then they are offline",
              "muster node drain n7 --deadline 10m --watch"},
    VerbEntry{Verb::node_forgive, Run::change, "node forgive", "PATTERN", 1, 1, Words::node, intent_options,
              "end the penalties of the nodes that match",
              "muster node forgive n7 --reason 'new disk'"},
    VerbEntry{Verb::node_add, Run::change, "node add", "NAME...", 1, any_number, Words::anything, node_add_options,
              "list names that may join, also ones that were removed",
              "muster node add n7 n8"},
    VerbEntry{Verb::node_remove, Run::change, "node remove", "PATTERN", 1, 1, Words::node, node_remove_options,
              "drain the nodes that match, then forget and refuse them",
              "muster node remove n7"},
    VerbEntry{Verb::node_apply, Run::change, "node apply", "-f FILE", 0, 0, Words::anything, node_apply_options,
              "make a file the list of nodes: remove all others",
              "muster node apply -f nodes.toml"},
    VerbEntry{Verb::task_list, Run::read, "task list", "[PATTERN]", 0, 1, Words::task, read_options,
              "tasks, wanted and running",
              "muster task list 'web*'"},
    VerbEntry{Verb::task_show, Run::read, "task show", "PATTERN", 1, 1, Words::task, read_options,
              "a task, or each that matches, and its instances",
              "muster task show web"},
    VerbEntry{Verb::task_add, Run::change, "task add", "NAME [OPTIONS] -- COMMAND [ARG...]", 2, any_number,
              Words::anything, add_options,
              "add a task that is not there yet; a task file can say more",
              "muster task add web -n 2 -- /usr/bin/sleep 600"},
    VerbEntry{Verb::task_remove, Run::change, "task remove", "PATTERN", 1, 1, Words::task, remove_options,
              "stop the tasks that match and forget them",
              "muster task remove web"},
    VerbEntry{Verb::task_scale, Run::change, "task scale", "PATTERN N", 2, 2, Words::task, {},
              "change how many instances are wanted",
              "muster task scale web 4"},
    VerbEntry{Verb::task_restart, Run::change, "task restart", "PATTERN", 1, 1, Words::task, {},
              "replace the instances, one at a time",
              "muster task restart web"},
    VerbEntry{Verb::task_signal, Run::change, "task signal", "PATTERN SIGNAL", 2, 2, Words::task, {},
              "send what runs TERM, HUP, USR1 or the like",
              "muster task signal web HUP"},
    VerbEntry{Verb::group_list, Run::read, "group list", "[PATTERN]", 0, 1, Words::anything, read_options,
              "affinity groups, and how many nodes are warm",
              "muster group list"},
    VerbEntry{Verb::group_show, Run::read, "group show", "NAME", 1, 1, Words::anything, read_options,
              "a group's tasks, and the nodes warm for it",
              "muster group show cache"},
    VerbEntry{Verb::wait, Run::wait, "wait", "PATTERN", 1, 1, Words::task, {},
              "wait until the tasks that match run as wanted",
              "muster wait web --timeout 30s"},
    VerbEntry{Verb::events, Run::events, "events", "", 0, 0, Words::anything, event_options,
              "what happened in the cluster",
              "muster events --follow"},
    VerbEntry{Verb::logs, Run::logs, "logs", "INSTANCE", 1, 1, Words::task, log_options,
              "what an instance printed",
              "muster logs web.3 --follow --since 10m"},
    VerbEntry{Verb::top, Run::top, "top", "[PATTERN]", 0, 1, Words::task, top_options,
              "processors and memory that nodes and instances use, live",
              "muster top 'web*' --node 'n[1-9]'"},
    VerbEntry{Verb::explain_instance, Run::read, "explain instance", "INSTANCE", 1, 1,
              Words::anything, read_options,
              "why an instance is where it is, or nowhere",
              "muster explain instance web.3"},
    VerbEntry{Verb::explain_task, Run::read, "explain task", "TASK", 1, 1, Words::task, read_options,
              "what each node has to say to one more instance of it",
              "muster explain task web"},
    VerbEntry{Verb::explain_node, Run::read, "explain node", "NODE", 1, 1, Words::node, read_options,
              "why a node serves or not, and what was decided of it",
              "muster explain node n7"},
    VerbEntry{Verb::rebalance, Run::change, "rebalance", "", 0, 0, Words::anything, {},
              "make an even spread once; 'plan --rebalance' shows it first",
              "muster rebalance"},
    VerbEntry{Verb::term_now, Run::change, "term now", "", 0, 0, Words::anything, {},
              "open the next term once the running one is closed",
              "muster term now"},
    VerbEntry{Verb::store_accept, Run::change, "store accept", "", 0, 0, Words::anything, accept_options,
              "command the nodes that are ahead of the store",
              "muster store accept --dry-run"},
    VerbEntry{Verb::freeze_on, Run::change, "freeze on", "", 0, 0, Words::anything, intent_options,
              "stop all rescheduling until it is off",
              "muster freeze on --reason 'work on the network'"},
    VerbEntry{Verb::freeze_off, Run::change, "freeze off", "", 0, 0, Words::anything, intent_options,
              "end a freeze: nodes that are silent are given up as lost",
              "muster freeze off"},
    VerbEntry{Verb::freeze_show, Run::read, "freeze show", "", 0, 0, Words::anything, read_options,
              "whether rescheduling is stopped, why and until when",
              "muster freeze show"},
    VerbEntry{Verb::limit_list, Run::read, "limit list", "", 0, 0, Words::anything, read_options,
              "the limits of the whole cluster, and how much is used",
              "muster limit list"},
    VerbEntry{Verb::limit_set, Run::change, "limit set", "NAME N", 2, 2, Words::limit, {},
              "set starts_per_term or moves_per_term; 'none' takes it away",
              "muster limit set starts_per_term 100"},
    VerbEntry{Verb::log_level, Run::change, "log level", "LEVEL", 1, 1, Words::level, {},
              "log at this level: trace, debug, info, warn or error",
              "muster log level debug"},
    VerbEntry{Verb::ping, Run::read, "ping", "", 0, 0, Words::anything, read_options,
              "is a coordinator there, and which",
              "muster ping"},
    VerbEntry{Verb::help, Run::local, "help", "[VERB...]", 0, 2, Words::verb, {},
              "this list, or a verb explained",
              "muster help task scale"},
    VerbEntry{Verb::completion, Run::local, "completion", "SHELL", 1, 1, Words::shell, {},
              "print the completion script for bash or zsh",
              "source <(muster completion bash)"},
    VerbEntry{Verb::version, Run::local, "version", "", 0, 0, Words::anything, {},
              "the version of this program",
              "muster version"},
};
// clang-format on

}  // namespace

std::span<const VerbEntry> verb_table() { return table; }

const VerbEntry& entry_of(Verb verb) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const VerbEntry& entry) { return entry.verb == verb; });
    ensure(found != table.end(), "every verb has an entry in the table");
    return *found;
}

std::span<const OptionEntry> common_options() { return common; }

std::optional<OptionEntry> find_option(const VerbEntry& entry, std::string_view text) {
    const auto is_meant = [&](const OptionEntry& option) {
        return text == option.name || (option.letter != '\0' && text.size() == 2 &&
                                       text[0] == '-' && text[1] == option.letter);
    };
    for (const auto options : {entry.options, common_options()}) {
        const auto found = std::find_if(options.begin(), options.end(), is_meant);
        if (found != options.end()) {
            return *found;
        }
    }
    return std::nullopt;
}

std::string_view choices(Words words) {
    switch (words) {
        case Words::level: return "trace debug info warn error";
        case Words::format: return "table json";
        case Words::shell: return "bash zsh";
        case Words::policy: return "always on-failure never";
        case Words::reconcile: return "original replacement";
        case Words::limit: return "starts_per_term moves_per_term";
        case Words::anything:
        case Words::file:
        case Words::node:
        case Words::task:
        case Words::verb: return "";
    }
    ensure(false, "every kind of word is known");
    return "";
}

}  // namespace muster::cli
