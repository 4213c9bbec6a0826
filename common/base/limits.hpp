#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/time.hpp"

/// A bound on everything, each with its reason. Sizes in bytes unless the name says otherwise.
namespace muster::limits {

// Names and texts.
inline constexpr std::size_t name_bytes = 63;     ///< As a DNS label, so names work as host names.
inline constexpr std::size_t detail_bytes = 160;  ///< One sentence; 4,096 of them fit a report.
inline constexpr std::size_t sentence_bytes = 4096;  ///< An error text that lists choices.
inline constexpr std::size_t pattern_bytes = 256;  ///< A glob or host range that an operator types.

// A task's spec. A whole spec must fit into a batch of commands beside others.
inline constexpr std::size_t argv_count = 256;
inline constexpr std::size_t env_count = 256;
inline constexpr std::size_t spec_text_bytes = 32 * 1024;  ///< All texts of a spec together.
inline constexpr std::size_t path_bytes = 4096;            ///< PATH_MAX.
inline constexpr std::uint32_t instances_per_task = 100'000;
inline constexpr std::size_t env_files = 16;       ///< Read again at each start.
inline constexpr std::size_t secrets = 32;         ///< Copied at each start.
inline constexpr std::size_t account_bytes = 255;  ///< LOGIN_NAME_MAX, without its zero.
inline constexpr Duration grace_max = 1h;          ///< A longer stop is an operator's job.
inline constexpr Duration start_timeout_max = 1h;  ///< A longer start, too.
inline constexpr Duration min_healthy_max = 1h;    ///< A roll-out of many copies ends in some days.

// Settings of a task's process, and what is kept of its logs.
inline constexpr std::size_t rlimits = 16;                       ///< As many as Linux has.
inline constexpr std::uint32_t umask_max = 0777;                 ///< The bits that the kernel uses.
inline constexpr std::int32_t nice_least = -20;                  ///< The kernel's range.
inline constexpr std::int32_t nice_most = 19;                    ///< Likewise.
inline constexpr std::uint32_t account_number_max = 0xfffffffe;  ///< The number above means `none`.
inline constexpr std::uint64_t cgroup_cpu_milli_least = 10;  ///< 1 ms of 100: the kernel's least.
inline constexpr std::uint64_t cgroup_memory_least = std::uint64_t{1} << 20U;  ///< To start at all.
inline constexpr std::uint32_t cgroup_pids_least = 2;        ///< One process waits for the other.
inline constexpr std::uint32_t cgroup_pids = 4'194'304;      ///< PID_MAX_LIMIT: the kernel's most.
inline constexpr std::uint64_t log_bytes_least = 64 * 1024;  ///< A crash with its stack trace.
inline constexpr std::uint64_t log_bytes_most = 1024 * 1024 * 1024;  ///< An instance has two.
inline constexpr Duration log_age_least = 1min;  ///< The shortest time between new files.
inline constexpr Duration log_age_most = 24h * 365;

/// A bundle of certificates. The copies are in memory, and everything else waits while they are
/// made.
inline constexpr std::size_t secret_bytes = 1024 * 1024;

// Demand for pools: what 10,000 load balancers may say, a million bytes of memory for each 20,000
// amounts.
inline constexpr std::size_t demand_pools = 1'000;             ///< Each has forecasts of 25 KB.
inline constexpr std::size_t demand_reporters = 10'000;        ///< As many as nodes.
inline constexpr std::size_t demand_claims = 200'000;          ///< Amounts, of all reporters.
inline constexpr std::size_t advert_pools = 1'000;             ///< Amounts in one request.
inline constexpr std::uint64_t demand_amount = 1'000'000'000;  ///< A petabyte, counted in MB.
inline constexpr std::uint32_t pool_nodes = 10'000;            ///< As many as nodes.
inline constexpr Duration demand_ttl_least = 1s;  ///< They are looked through each second.
inline constexpr Duration demand_ttl_most = 1h;   ///< Who is silent longer is gone.
inline constexpr std::size_t pool_shadows = 8;    ///< Predictor programs beside the one of a pool.
inline constexpr std::size_t schedule_lines =
    100;  ///< Of a pool: 14 a day, if each day has its own.

// Programs of providers and predictors.
/// Of a configuration, with predictors. All their programs have fewer files than poll() takes.
inline constexpr std::size_t providers = 16;
inline constexpr std::size_t programs_of_provider = 8;  ///< At once; each has four files.
/// That wait for one of them. The oldest are answered within a deadline.
inline constexpr std::size_t calls_of_provider = 1'000;
/// What a program prints: 20,000 nodes with long names.
inline constexpr std::size_t program_output_bytes = std::size_t{4} << 20U;
inline constexpr std::size_t program_errors_bytes = std::size_t{16} << 10U;  ///< The last ones.
inline constexpr std::size_t provider_id_bytes = 128;                        ///< Of one node.
inline constexpr Duration program_deadline_least = 1s;  ///< Python starts in it.
inline constexpr Duration program_deadline_most = 1h;   ///< A longer call hangs.

// Secrets that the coordinator keeps: a task's own must fit into a batch of commands with its spec.
inline constexpr std::size_t cluster_secret_bytes = 4 * 1024;  ///< A key or a password, no bundle.
inline constexpr std::size_t cluster_secrets = 16;             ///< Of one task: 88 KB on the wire.
inline constexpr std::size_t stored_secrets = 10'000;          ///< 60 MB of memory.
inline constexpr std::size_t encrypted_secret_bytes = 6 * 1024;  ///< The text of an encrypted one.

inline constexpr std::size_t signature_bytes = 193;  ///< A key and a signature in digits.

// Where instances run. Each task's rule and each node's offer is read as a whole.
inline constexpr std::size_t labels_per_node = 32;
inline constexpr std::size_t label_bytes = 63;  ///< Of a value; a key is a name.
inline constexpr std::size_t constraints = 16;  ///< Of one task.
inline constexpr std::size_t values_per_constraint = 32;
inline constexpr std::size_t constraint_bytes = 4096;      ///< A key and all its values.
inline constexpr std::size_t limit_facts = 8;              ///< There are three limits.
inline constexpr std::uint64_t cpu_milli = 1'000'000'000;  ///< A million cores: sums fit 64 bits.
inline constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 50U;  ///< A pebibyte, likewise.
inline constexpr std::size_t groups = 10'000;          ///< Remembered groups: few share a node.
inline constexpr std::int32_t priority = 1'000;        ///< The most above and below 0.
inline constexpr Duration reschedule_after_max = 24h;  ///< As long as a lost node's record is kept.

inline constexpr CivilMs civil_most{4'000'000'000'000};  ///< In the year 2096; sums fit 64 bits.

// The defaults below which a host has no room for work. A hundredth of the host's size applies if
// it is less.
inline constexpr std::uint64_t disk_floor_bytes = 64 * 1024 * 1024;  ///< A few logs and journals.
inline constexpr std::uint64_t disk_floor_files = 1'000;
inline constexpr std::uint64_t memory_floor = 32 * 1024 * 1024;  ///< Less, and the kernel kills.

// The fleet: twice the scale that one coordinator is designed for.
inline constexpr std::size_t nodes = 200'000;  ///< Known names: some 100 MB of records.
/// Of these, names that no operator listed: each unknown name takes memory.
inline constexpr std::size_t joiners = 20'000;
inline constexpr std::size_t tasks = 200'000;
inline constexpr std::size_t instances_per_node = 4'096;  ///< Their snapshot fits one message.
inline constexpr std::size_t total_instances = 2'000'000;

// Keys and tokens.
inline constexpr std::size_t keys = 2 * nodes;          ///< One for each node, and people.
inline constexpr std::size_t tokens = 10'000;           ///< Open at once.
inline constexpr std::size_t pending_enrolments = 256;  ///< Without a token: an admin reads them.
inline constexpr std::size_t scope_patterns = 32;       ///< Pools, or patterns of tasks, of a key.
inline constexpr Duration token_max = 24h * 30;         ///< A longer one would be forgotten.
/// Between two new keys of one agent.
inline constexpr Duration key_renewal_pause = 10s;
/// How long a new key is valid that nobody uses, while it waits to replace another one.
inline constexpr Duration key_overlap = 1h;
/// Between the clocks of a host that enrols and of the coordinator.
inline constexpr Duration enrolment_clock_error = 10min;
inline constexpr std::size_t enrolment_message_bytes = 4 * 1024;

// The audit.
inline constexpr std::uint64_t audit_rows = 100'000;   ///< Kept: 40 MB; 24 h at a change a second.
inline constexpr std::uint32_t audit_page = 1'000;     ///< Read at once: some milliseconds.
inline constexpr std::uint32_t audited_refusals = 10;  ///< A second. Others are counted.

// Messages.
inline constexpr std::size_t agent_message_bytes = 1024 * 1024;  ///< One node's snapshot.
/// Of an agent that was not welcomed: a hello. Only one with the longest labels does not fit.
inline constexpr std::size_t hello_bytes = 4 * 1024;
inline constexpr std::size_t operator_message_bytes = 64 * 1024;  ///< One part of a request.
inline constexpr std::size_t part_bytes = 60 * 1024;              ///< A part less its envelope.
inline constexpr std::size_t upload_bytes = 32 * 1024 * 1024;     ///< All parts of one message.
inline constexpr std::size_t map_fields = 64;    ///< More than any control message has.
inline constexpr std::size_t metric_labels = 4;  ///< Our metrics have at most two.
inline constexpr std::size_t nesting = 8;        ///< Our deepest message has 6 levels.
/// Of any list in a reply: the instances of the largest task, each with its replacement.
inline constexpr std::size_t reply_rows = 200'000;
/// Of a daemon: nobody needs as much.
inline constexpr std::size_t configuration_bytes = std::size_t{1} << 20U;
inline constexpr std::size_t batch_commands = 1'024;         ///< Starts and stops in one batch.
inline constexpr std::size_t batch_spec_bytes = 512 * 1024;  ///< Half a message for its specs.

// Agent calls: operators' requests to agents.
inline constexpr std::uint32_t log_piece_bytes = 48 * 1024;  ///< With its envelope in one part.
inline constexpr std::size_t agent_calls = 1'024;   ///< Open at once: 48 MB of logs; then `busy`.
inline constexpr std::size_t calls_per_agent = 16;  ///< Waiting for the agent's disk; then `busy`.
inline constexpr std::size_t used_instances = 20'000;  ///< In an answer: 2 MB.
inline constexpr Duration agent_call_patience = 3s;  ///< Less than the operator's patience of 5 s.
inline constexpr std::size_t agent_call_answers_kept = 256;  ///< Answers to repeated signals.

// Memory of an agent.
inline constexpr std::size_t agent_waiting_messages = 64;  ///< For its disk; more are dropped.

// Logs of tasks on an agent's disk: two files for each instance, and the end of rotated ones.
inline constexpr std::size_t ended_outputs = 256;  ///< Of removed instances: at most 4.6 GB.

inline constexpr Duration post_stop_max = 1min;  ///< A clean-up command is killed after it.

/// A shim reports within moments that a process runs or ended, beyond the time that its task
/// allows. After this time it is asked again, which is harmless, even on a busy host.
inline constexpr Duration shim_patience = 5s;

// Exclusive instances.
inline constexpr Duration lease_least = 1s;
inline constexpr Duration lease_most = 10min;  ///< An isolated host keeps its instances that long.
/// The most time from the end of a lease to the kill, whatever the task's grace: the waiting
/// coordinator does not know older specs.
inline constexpr Duration lease_grace = 10s;
inline constexpr Duration lease_kill = 1s;  ///< From the kill to the end of the tree.

// Memory of the coordinator.
inline constexpr std::size_t events_kept = 10'000;     ///< About 2 MB; an hour of a busy cluster.
inline constexpr std::size_t decisions_kept = 65'536;  ///< 6 MB: the moves of a dead host.
inline constexpr std::size_t requests_kept = 100'000;  ///< 24 h at one change a second.
inline constexpr std::size_t request_changes_kept = 500'000;  ///< In all answers together: 100 MB.
inline constexpr std::size_t removed_names = 10'000;  ///< Of tasks, and of nodes: 1 MB each.
inline constexpr Duration request_id_kept = 24h;
inline constexpr Duration request_id_ahead = 1h;      ///< A client's clock may be this far ahead.
inline constexpr std::size_t requests_ahead = 1'000;  ///< The most kept requests from the future,
inline constexpr std::size_t request_changes_ahead = 50'000;  ///< a tenth of all.
inline constexpr std::size_t pending_changes = 1'024;     ///< Waiting for the store; then `busy`.
inline constexpr std::size_t pending_lines = 400'000;     ///< Their changed names; then `busy`.
inline constexpr std::size_t unread_bytes = 1024 * 1024;  ///< Of replies to a peer; then `busy`.
inline constexpr std::size_t unread_bytes_of_all = 256 * 1024 * 1024;  ///< Eight largest replies.
inline constexpr std::size_t pending_waits = 1'024;                    ///< Open `wait` requests.
inline constexpr std::size_t what_if_selectors = 256;                  ///< Of one question.
inline constexpr Duration wait_max = 1h;
inline constexpr std::size_t pending_plans = 64;  ///< Open `plan rebalance` requests.
inline constexpr Duration plan_wait = 3s;         ///< How long they wait: less than a client does.

// Restart policy (SC-22, S16).
inline constexpr Duration backoff_least = 100ms;     ///< Less would only start processes.
inline constexpr std::uint32_t starts_most = 1'000;  ///< In a window; the agent remembers each.
inline constexpr Duration start_window_least = 1s;
inline constexpr Duration start_window_most = 24h;
inline constexpr Duration backoff_max = 5min;
/// A missing program: once an operator has installed it, the task runs soon.
inline constexpr Duration between_tries_of_failed = 30s;
inline constexpr Duration quiet_period = 10min;  ///< Running this long resets the back-off.

}  // namespace muster::limits
