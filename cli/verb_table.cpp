#include "cli/verb_table.hpp"

#include <algorithm>
#include <array>

#include "common/base/ensure.hpp"

namespace muster::cli {

namespace {

constexpr OptionEntry watch{"--watch", 'w', "", "show it again and again until Ctrl-C"};
constexpr OptionEntry interval{"--interval", '\0', "TIME",
                               "time between two updates of --watch (1s)"};
constexpr OptionEntry file{"--file", 'f', "FILE", "the task file; - is standard input",
                           Words::file};
constexpr OptionEntry replace{"--replace", '\0', "",
                              "remove every task that the file does not name"};
constexpr OptionEntry force{"--force", '\0', "", "accept labels and pools that no node has"};
constexpr OptionEntry sign_with{"--sign", '\0', "FILE",
                                "sign the tasks with the key of 'signer create'", Words::file};
constexpr OptionEntry dry_run{"--dry-run", '\0', "", "only show what would change"};
constexpr OptionEntry yes{"--yes", 'y', "", "remove without asking"};

constexpr std::array common{
    OptionEntry{
        "--coordinator", 'c', "ENDPOINT",
        "its endpoint for operators (MUSTER_COORDINATOR; else that of the context; else its "
        "local socket, if there is one; else tcp://127.0.0.1:7701)"},
    OptionEntry{"--context", '\0', "NAME",
                "a cluster of 'context list', with its key (MUSTER_CONTEXT; else the current one)"},
    OptionEntry{"--timeout", 't', "TIME",
                "how long to wait for an answer: 500ms, 2m (5s; wait, --wait: 30s)"},
    OptionEntry{"--output", 'o', "FORMAT", "table or json", Words::format},
    OptionEntry{"--run-dir", '\0', "DIR", "directory of the coordinator's local socket",
                Words::file},
    OptionEntry{"--help", 'h', "", "explain the verb"},
};

constexpr std::array read_options{watch, interval};
constexpr std::array status_options{
    watch, interval,
    OptionEntry{"--check", '\0', "", "exit with 3 unless the cluster is converged"},
    OptionEntry{"--reported", '\0', "", "what each node reported in the last closed round"}};
constexpr std::array apply_options{
    file,
    replace,
    yes,
    force,
    sign_with,
    OptionEntry{"--wait", '\0', "",
                "wait until the tasks of the files are converged; see 'help wait'"}};
constexpr std::array wait_options{
    OptionEntry{"--finished", '\0', "",
                "wait until every instance has ended; exit with their highest exit code"}};
constexpr std::array plan_options{
    file,
    replace,
    force,
    sign_with,
    OptionEntry{"--fail", '\0', "KEY=PATTERN",
                "what if these nodes were lost: node=n7, or by label rack=r3; may be repeated"},
    OptionEntry{"--without-task", '\0', "PATTERN",
                "what if these tasks were not wanted; may be repeated", Words::task},
    OptionEntry{"--add-nodes", '\0', "N", "what if N more nodes joined"},
    OptionEntry{"--rebalance", '\0', "", "what 'muster rebalance' would move"},
    watch,
    interval};
constexpr std::array add_options{
    OptionEntry{"--instances", 'n', "N", "how many instances are wanted (1)"},
    OptionEntry{"--env", 'e', "KEY=VALUE", "set a variable of its environment; may be repeated"},
    OptionEntry{"--workdir", '\0', "DIR", "its working directory (one per instance)", Words::file},
    OptionEntry{"--restart", '\0', "POLICY", "always, on-failure or never (always)", Words::policy},
    OptionEntry{"--max-per-node", '\0', "N", "the most instances on one node (1)"},
    OptionEntry{"--stop-signal", '\0', "NAME",
                "the signal that ends it: TERM, INT, QUIT, ... (TERM)"},
    OptionEntry{"--grace", '\0', "TIME", "time from the stop signal to SIGKILL (10s)"},
    OptionEntry{"--pool", '\0', "POOL", "only nodes of this pool (default)"},
    OptionEntry{"--constraint", '\0', "CONSTRAINT",
                "a condition on the labels of its nodes: 'rack != r7'; may be repeated"},
    OptionEntry{"--cpu", '\0', "CORES", "processor cores that each instance needs: 0.5 (0)"},
    OptionEntry{"--memory", '\0', "SIZE", "memory that each instance needs: 64MiB (0)"},
    OptionEntry{"--slots", '\0', "N", "slots that each instance needs (1)"},
    OptionEntry{"--spread", '\0', "LABEL", "spread the instances over the values of this label"},
    OptionEntry{"--group", '\0', "GROUP", "prefer nodes that ran this group last"},
    OptionEntry{"--every-node", '\0', "", "one instance on each node that fits"},
    OptionEntry{"--pinned", '\0', "", "never move it to balance the load"},
    OptionEntry{"--priority", '\0', "N",
                "tasks of higher priority are placed first: -1000 to 1000 (0)"},
    OptionEntry{"--reschedule-after", '\0', "TIME",
                "how long it waits for a lost node to return (0s)"},
    OptionEntry{"--reconcile", '\0', "WHICH",
                "which of two equally good copies stays: original or replacement (original)",
                Words::reconcile},
    force,
};
constexpr std::array demand_options{
    OptionEntry{"--ttl", '\0', "TIME", "how long it counts unless it is said again (10s)"},
};
constexpr OptionEntry provider_of_pool{
    "--provider", '\0', "PROVIDER", "a provider that the coordinator's configuration names (none)"};
constexpr OptionEntry reason_of_pool{"--reason", '\0', "TEXT",
                                     "why; kept with the change and shown to people"};
constexpr std::array pool_options{
    OptionEntry{"--unit", '\0', "UNIT", "memory_mb, slots or cpu_milli (memory_mb)"},
    provider_of_pool,
    OptionEntry{"--predictor", '\0', "NAME",
                "conservative, trend, peak, seasonal, schedule, or a program (conservative)"},
    OptionEntry{"--min", '\0', "N", "the fewest nodes (0)"},
    OptionEntry{"--max", '\0', "N", "the most nodes (100)"},
    OptionEntry{"--step", '\0', "N", "at most so many are asked for at once (20)"},
    OptionEntry{"--drain-budget", '\0', "N", "at most so many drain at once (20)"},
    OptionEntry{"--node-amount", '\0', "AMOUNT",
                "what a new node will have; 0: what the present ones have (0)"},
    OptionEntry{"--arrive-within", '\0', "TIME", "a node that serves later is removed (5m)"},
    OptionEntry{"--max-drain", '\0', "TIME", "then a node is removed even if it works (50s)"},
    OptionEntry{"--up-cooldown", '\0', "TIME", "so long after it grew it does not grow (0s)"},
    OptionEntry{"--down-cooldown", '\0', "TIME",
                "so long after it changed it does not shrink (0s)"},
    OptionEntry{"--demand-ttl", '\0', "TIME", "the longest time that demand may last (30s)"},
    OptionEntry{"--schedule", '\0', "LINE", "as 'mon-fri 08:00 400'; may be repeated; '' is none"},
    OptionEntry{"--zone", '\0', "ZONE", "of the times in the schedule (UTC)"},
    OptionEntry{
        "--shadow", '\0', "NAME",
        "a predictor program that runs beside, for the forecast; may be repeated; '' is none"},
    OptionEntry{"--match", '\0', "CONSTRAINT",
                "nodes with such labels that name no pool are in it, as 'rack = r7'; may be "
                "repeated; '' is none"},
    reason_of_pool};
constexpr std::array pool_reason{reason_of_pool};
constexpr std::array event_options{
    OptionEntry{"--follow", '\0', "", "show new events as they happen, until Ctrl-C"},
    OptionEntry{"--since", '\0', "WHEN",
                "only later ones: of the last 10m, since '2026-11-21 10:04' (UTC), or above a "
                "sequence number since the coordinator's start"},
    OptionEntry{"--events", '\0', "ENDPOINT",
                "endpoint that publishes events (MUSTER_EVENTS; else as the coordinator says)"},
};
constexpr std::array log_options{
    OptionEntry{"--follow", 'f', "", "show new output as it is printed, until Ctrl-C"},
    OptionEntry{"--stderr", '\0', "", "show standard error instead of standard output"},
    OptionEntry{"--since", '\0', "TIME",
                "only output of about the last 10m, or since '2026-11-21 10:04' (UTC)"},
    OptionEntry{"--node", '\0', "NODE", "show what it printed on this node (the node that runs it)",
                Words::node},
};
constexpr std::array top_options{
    OptionEntry{"--node", '\0', "PATTERN", "only matching nodes (all)", Words::node},
    OptionEntry{"--once", '\0', "", "measure once and exit; the default without a terminal"},
    OptionEntry{"--interval", '\0', "TIME",
                "time between two measurements (1s); without a terminal, measure again and again"},
};
constexpr OptionEntry reason{"--reason", '\0', "TEXT",
                             "why; kept with the change and shown to people"};
constexpr OptionEntry force_of_node{
    "--force", '\0', "", "even the last node of a pool; stop instances that no other node can run"};
constexpr std::array intent_options{reason};
constexpr std::array drain_options{
    OptionEntry{"--deadline", '\0', "TIME", "when the drain becomes overdue, from now: 10m (none)"},
    force_of_node, reason,
    OptionEntry{"--watch", 'w', "",
                "show moves and blockers until it is done, or overdue (exit code 5)"},
    interval};
constexpr std::array node_add_options{
    OptionEntry{"--pool", '\0', "POOL", "their pool (the one that their agents report)"}, reason};
constexpr std::array node_remove_options{
    OptionEntry{"--force", '\0', "",
                "remove at once, without a drain; its agent keeps what it runs"},
    reason, yes};
constexpr std::array node_apply_options{
    OptionEntry{"--file", 'f', "FILE", "the list of nodes; - is standard input", Words::file},
    OptionEntry{"--force", '\0', "", "remove at once, without a drain"}, reason, dry_run, yes};
constexpr std::array dry_run_options{dry_run};
constexpr std::array key_options{
    OptionEntry{"--expires", '\0', "TIME", "how long it is valid, from now: 90d (for ever)"},
    OptionEntry{"--pool", '\0', "POOL", "it may change nodes of this pool only; may be repeated"},
    OptionEntry{"--task", '\0', "PATTERN", "it may change these tasks only; may be repeated",
                Words::task},
    reason};
constexpr std::array token_options{
    OptionEntry{"--node", '\0', "PATTERN", "the names that may join with it (*)", Words::node},
    OptionEntry{"--ttl", '\0', "TIME", "how long it is open (10m)"},
    OptionEntry{"--uses", '\0', "N", "how many hosts may join with it (1)"}, reason};
constexpr std::array secret_options{
    OptionEntry{"--file", 'f', "FILE", "the file with the value (standard input)", Words::file},
    reason};
constexpr std::array audit_options{
    OptionEntry{"--since", '\0', "N", "rows after this number, instead of the newest"}, watch,
    interval};
constexpr std::array init_options{
    OptionEntry{"--state-dir", '\0', "DIR", "the state directory of the coordinator", Words::file}};
constexpr std::array context_options{
    OptionEntry{"--coordinator-key", '\0', "KEY",
                "the coordinator's public key, as 'token list -o json' has it"}};
constexpr OptionEntry config{"--config", '\0', "FILE",
                             "the coordinator's configuration, which says where its store is",
                             Words::file};
constexpr OptionEntry state_dir{"--state-dir", '\0', "DIR",
                                "the coordinator's state directory, if the configuration has none",
                                Words::file};
constexpr OptionEntry dry_store{"--dry-run", '\0', "", "only say what would be written"};
constexpr std::array store_options{config, state_dir, dry_store};
constexpr std::array store_check_options{config, state_dir};
constexpr std::array store_migrate_options{
    OptionEntry{"--to", '\0', "WHERE", "etcd or sqlite: the store that is not in use yet",
                Words::place},
    config, state_dir, dry_store};
constexpr std::array remove_options{yes};

/// Texts that differ from the table of requests.
struct Own {
    std::optional<std::string_view> arguments{};
    std::string_view summary{};
    std::string_view example{};
};

template <class Request>
consteval VerbEntry ask(Verb verb, Run run, Words words, std::span<const OptionEntry> options,
                        Own own = {}) {
    constexpr const codec::Verb& row = codec::verb_row<Request>();
    return {verb,
            run,
            row.name,
            own.arguments.value_or(row.usage),
            words,
            options,
            own.summary.empty() ? row.summary : own.summary,
            own.example.empty() ? row.example : own.example,
            row.area};
}

// A table is easier to read without line breaks.
// clang-format off
constexpr std::array table{
    ask<ApplyRequest>(Verb::apply, Run::change, Words::anything, apply_options,
        {"-f FILE", "add and change the tasks of a file", "apply -f tasks.toml"}),
    ask<PlanRequest>(Verb::plan, Run::read, Words::anything, plan_options,
        {"-f FILE | WHAT-IF...", "what apply would change, or a what-if; exit 3 if anything changes",
         "plan --fail rack=r3"}),
    ask<StatusRequest>(Verb::status, Run::read, Words::anything, status_options,
        {.example = "status --watch"}),
    ask<StatsRequest>(Verb::stats, Run::read, Words::anything, read_options),
    ask<NodeListRequest>(Verb::node_list, Run::read, Words::node, read_options,
        {.example = "node list 'web-[1-40,52]'"}),
    ask<NodeShowRequest>(Verb::node_show, Run::read, Words::node, read_options,
        {"PATTERN", "each matching node, and what it runs"}),
    ask<NodeOfflineRequest>(Verb::node_offline, Run::change, Words::node, intent_options,
        {.example = "node offline n7 --reason 'bad disk'"}),
    ask<NodeOnlineRequest>(Verb::node_online, Run::change, Words::node, intent_options),
    ask<NodeDrainRequest>(Verb::node_drain, Run::drain, Words::node, drain_options,
        {.arguments = "PATTERN", .example = "node drain n7 --deadline 10m --watch"}),
    ask<NodeForgiveRequest>(Verb::node_forgive, Run::change, Words::node, intent_options,
        {.example = "node forgive n7 --reason 'new disk'"}),
    ask<NodeAddRequest>(Verb::node_add, Run::change, Words::anything, node_add_options),
    ask<NodeRemoveRequest>(Verb::node_remove, Run::change, Words::node, node_remove_options),
    ask<NodeApplyRequest>(Verb::node_apply, Run::change, Words::anything, node_apply_options,
        {"-f FILE", "make a file the list of nodes; remove all others",
         "node apply -f nodes.toml"}),
    ask<TaskListRequest>(Verb::task_list, Run::read, Words::task, read_options,
        {.example = "task list 'web*'"}),
    ask<TaskShowRequest>(Verb::task_show, Run::read, Words::task, read_options,
        {"PATTERN", "each matching task, and its instances"}),
    ask<TaskAddRequest>(Verb::task_add, Run::change, Words::anything, add_options,
        {"NAME [OPTIONS] -- COMMAND [ARG...]",
         "add a new task; a task file can say more",
         "task add web -n 2 -- /usr/bin/sleep 600"}),
    ask<TaskRemoveRequest>(Verb::task_remove, Run::change, Words::task, remove_options),
    ask<TaskScaleRequest>(Verb::task_scale, Run::change, Words::task, {}),
    ask<TaskRestartRequest>(Verb::task_restart, Run::change, Words::task, {}),
    ask<TaskSignalRequest>(Verb::task_signal, Run::change, Words::task, {}),
    ask<GroupListRequest>(Verb::group_list, Run::read, Words::anything, read_options),
    ask<GroupShowRequest>(Verb::group_show, Run::read, Words::anything, read_options),
    ask<DemandSetRequest>(Verb::demand_set, Run::change, Words::anything, demand_options,
        {.summary = "say how much of a pool somebody needs; 0 is none"}),
    ask<DemandListRequest>(Verb::demand_list, Run::read, Words::anything, read_options),
    ask<PoolListRequest>(Verb::pool_list, Run::read, Words::anything, read_options),
    ask<PoolForecastRequest>(Verb::pool_forecast, Run::read, Words::anything, read_options),
    ask<PoolShowRequest>(Verb::pool_show, Run::read, Words::anything, read_options),
    ask<PoolMembersRequest>(Verb::pool_members, Run::read, Words::anything, read_options,
        {.arguments = "NAME"}),
    ask<PoolCreateRequest>(Verb::pool_create, Run::change, Words::anything, pool_options,
        {"NAME [OPTIONS]", {}, "pool create web --provider cloud --unit slots --max 10"}),
    ask<PoolSetRequest>(Verb::pool_set, Run::change, Words::anything, pool_options,
        {"NAME [OPTIONS]", {}, "pool set web --max 20"}),
    ask<PoolRemoveRequest>(Verb::pool_remove, Run::change, Words::anything, pool_reason),
    ask<PoolPauseRequest>(Verb::pool_pause, Run::change, Words::anything, pool_reason),
    ask<PoolResumeRequest>(Verb::pool_resume, Run::change, Words::anything, pool_reason),
    ask<WaitRequest>(Verb::wait, Run::wait, Words::task, wait_options,
        {.arguments = "PATTERN", .example = "wait web --timeout 30s"}),
    ask<EventsRequest>(Verb::events, Run::events, Words::anything, event_options,
        {"", "what happened in the cluster", "events --follow"}),
    ask<LogsRequest>(Verb::logs, Run::logs, Words::task, log_options,
        {"INSTANCE", "what an instance printed", "logs web.3 --follow --since 10m"}),
    VerbEntry{Verb::top, Run::top, "top", "[PATTERN]", Words::task, top_options,
              "CPU and memory that nodes and instances use, live",
              "top 'web*' --node 'n[1-9]'", codec::Area::tasks},
    VerbEntry{Verb::explain_instance, Run::read, "explain instance", "INSTANCE", Words::anything,
              read_options, "why an instance runs where it does, or does not run",
              "explain instance web.3", codec::Area::planning},
    VerbEntry{Verb::explain_task, Run::read, "explain task", "TASK", Words::task, read_options,
              "where one more instance can run, and why not elsewhere", "explain task web",
              codec::Area::planning},
    VerbEntry{Verb::explain_node, Run::read, "explain node", "NODE", Words::node, read_options,
              "why a node gets work or not, and its latest changes", "explain node n7",
              codec::Area::planning},
    VerbEntry{Verb::explain_pool, Run::read, "explain pool", "POOL", Words::anything, read_options,
              "why a pool has the size that it has, and its latest changes", "explain pool web",
              codec::Area::pools},
    VerbEntry{Verb::explain, Run::read, "explain", "NAME", Words::anything, read_options,
              "an instance, a task, a node or a pool, if only one has the name", "explain web.3",
              codec::Area::planning},
    ask<RebalanceRequest>(Verb::rebalance, Run::change, Words::anything, {},
        {.summary = "balance the load once; 'plan --rebalance' shows the moves"}),
    ask<RoundNowRequest>(Verb::round_now, Run::change, Words::anything, {}),
    ask<StoreAcceptRequest>(Verb::store_accept, Run::change, Words::anything, dry_run_options,
        {.arguments = "", .example = "store accept --dry-run"}),
    VerbEntry{Verb::store_export, Run::store, "store export", "[FILE]", Words::file,
              store_options, "write the whole store as text, also while it is in use",
              "store export --config /etc/muster/coordinator.toml store.jsonl",
              codec::Area::cluster},
    VerbEntry{Verb::store_import, Run::store, "store import", "FILE", Words::file, store_options,
              "fill an empty store from an export or a backup", "store import store.jsonl",
              codec::Area::cluster},
    VerbEntry{Verb::store_check, Run::store, "store check", "", Words::anything,
              store_check_options,
              "whether the store has a fault; exit 3 if so",
              "store check --config /etc/muster/coordinator.toml", codec::Area::cluster},
    VerbEntry{Verb::store_migrate, Run::store, "store migrate", "", Words::anything,
              store_migrate_options, "move the store from a file to etcd, or back",
              "store migrate --to etcd --config /etc/muster/coordinator.toml",
              codec::Area::cluster},
    VerbEntry{Verb::store_backup, Run::store, "store backup", "FILE", Words::file, store_options,
              "copy the store, also while in use, and check the copy",
              "store backup /backup/muster.sqlite", codec::Area::cluster},
    ask<FreezeOnRequest>(Verb::freeze_on, Run::change, Words::anything, intent_options,
        {.example = "freeze on --reason 'work on the network'"}),
    ask<FreezeOffRequest>(Verb::freeze_off, Run::change, Words::anything, intent_options),
    ask<FreezeShowRequest>(Verb::freeze_show, Run::read, Words::anything, read_options),
    ask<LimitListRequest>(Verb::limit_list, Run::read, Words::anything, read_options),
    ask<LimitSetRequest>(Verb::limit_set, Run::change, Words::limit, {}),
    ask<NodeAcceptRequest>(Verb::node_accept, Run::change, Words::node, intent_options),
    ask<TokenCreateRequest>(Verb::token_create, Run::token, Words::anything, token_options,
        {"", "let hosts join: open a token, and print the command to join",
         "token create --node web-7 --ttl 10m"}),
    ask<TokenListRequest>(Verb::token_list, Run::read, Words::anything, read_options),
    ask<TokenRevokeRequest>(Verb::token_revoke, Run::change, Words::anything, intent_options),
    ask<KeyListRequest>(Verb::key_list, Run::read, Words::anything, read_options),
    ask<KeyAddRequest>(Verb::key_add, Run::change, Words::anything, key_options,
        {.example = "key add ann operator $KEY --expires 90d"}),
    ask<KeyRevokeRequest>(Verb::key_revoke, Run::change, Words::anything, intent_options),
    ask<KeyRemoveRequest>(Verb::key_remove, Run::change, Words::anything, intent_options),
    ask<KeyRotateRequest>(Verb::key_rotate, Run::rotate, Words::node, intent_options,
        {"[NAME]", "replace the key of an agent, or without NAME your own",
         "key rotate n1"}),
    ask<SecretSetRequest>(Verb::secret_set, Run::change, Words::anything, secret_options,
        {"NAME", "keep a value from standard input or a file for tasks",
         "secret set db <password.txt"}),
    ask<SecretListRequest>(Verb::secret_list, Run::read, Words::anything, read_options,
        {.summary = "names of the secrets that the coordinator keeps"}),
    ask<SecretRemoveRequest>(Verb::secret_remove, Run::change, Words::anything, intent_options),
    ask<AuditShowRequest>(Verb::audit_show, Run::read, Words::anything, audit_options,
        {"", "who changed what, and what was refused to whom", "audit show --since 120"}),
    ask<AuditVerifyRequest>(Verb::audit_verify, Run::read, Words::anything, read_options,
        {.summary = "whether a row was edited or is missing; exit 3 if so"}),
    VerbEntry{Verb::audit_export, Run::all_rows, "audit export", "", Words::anything, {},
              "print all rows of the audit, one line of JSON each",
              "audit export >audit.jsonl", codec::Area::keys},
    VerbEntry{Verb::init, Run::local, "init", "", Words::anything, init_options,
              "make the keys of a new cluster, and of its first admin", "init", codec::Area::keys},
    VerbEntry{Verb::context_add, Run::local, "context add", "NAME", Words::anything,
              context_options, "make a key for another cluster, to command it from here",
              "context add prod -c tcp://10.0.0.5:7701 --coordinator-key $KEY",
              codec::Area::keys},
    VerbEntry{Verb::context_use, Run::local, "context use", "NAME", Words::anything, {},
              "command this cluster from now on", "context use prod", codec::Area::keys},
    VerbEntry{Verb::context_list, Run::local, "context list", "", Words::anything, {},
              "the clusters that are known here", "context list", codec::Area::keys},
    VerbEntry{Verb::signer_create, Run::local, "signer create", "FILE", Words::file, {},
              "make a key that signs tasks for hosts with signers",
              "signer create ~/.config/muster/signer", codec::Area::keys},
    VerbEntry{Verb::doctor, Run::doctor, "doctor", "", Words::anything, {},
              "what is weak or broken, and what helps; exit 3 if anything is", "doctor",
              codec::Area::cluster},
    VerbEntry{Verb::bundle, Run::bundle, "bundle", "", Words::anything, {},
              "write an archive without secrets to -o FILE, to get help",
              "bundle -o support.tgz", codec::Area::cluster},
    ask<CoordinatorListRequest>(Verb::coordinator_list, Run::read, Words::anything, read_options),
    ask<CoordinatorResignRequest>(Verb::coordinator_resign, Run::resign, Words::anything, {}),
    ask<UpgradeFinishRequest>(Verb::upgrade_finish, Run::change, Words::anything, dry_run_options,
        {.arguments = "", .example = "upgrade finish --dry-run"}),
    ask<LogLevelRequest>(Verb::log_level, Run::change, Words::level, {}),
    ask<PingRequest>(Verb::ping, Run::read, Words::anything, read_options),
    VerbEntry{Verb::help, Run::local, "help", "[VERB [VERB]]", Words::verb, {},
              "list the verbs, or explain one", "help task scale"},
    VerbEntry{Verb::completion, Run::local, "completion", "SHELL", Words::shell, {},
              "print the completion script of bash or zsh", "completion bash"},
    VerbEntry{Verb::version, Run::local, "version", "", Words::anything, {},
              "the version of this program", "version"},
};
// clang-format on

/// `reported` is an option of `status`, `top` sends `usage`, `explain` has three verbs, `help`
/// needs no coordinator, a host enrols by `muster-agent join`, and `key rotate` without a name
/// sends `key renew`.
template <class... Own>
consteval bool has_each_but() {
    return std::ranges::all_of(codec::verb_rows, [](const codec::Verb& row) {
        return ((row.name == codec::tag<Own>) || ...) ||
               std::ranges::count(table, row.name, &VerbEntry::words) == 1;
    });
}
static_assert(has_each_but<HelpRequest, ReportedRequest, UsageRequest, ExplainRequest, EnrolRequest,
                           KeyRenewRequest>(),
              "every request can be made by the command");

}  // namespace

std::string example_of(const VerbEntry& entry) {
    const std::string typed = "muster " + std::string{entry.example};
    return entry.verb == Verb::completion ? "source <(" + typed + ")" : typed;
}

std::span<const VerbEntry> verb_table() { return table; }

const VerbEntry& entry_of(Verb verb) {
    const auto found = std::ranges::find(table, verb, &VerbEntry::verb);
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
        const auto found = std::ranges::find_if(options, is_meant);
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
        case Words::place: return "etcd sqlite";
        case Words::limit: return "starts_per_round moves_per_round";
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
