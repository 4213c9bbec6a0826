#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/time.hpp"

/// A bound on everything, each with its reason. Sizes in bytes unless the name says otherwise.
namespace muster::limits {

// Names and texts.
inline constexpr std::size_t name_bytes = 63;     ///< As a DNS label, so names work as host names.
inline constexpr std::size_t detail_bytes = 160;  ///< A sentence; 4,096 of them fit a report.
inline constexpr std::size_t sentence_bytes = 4096;  ///< An error's explanation, with its choices.
inline constexpr std::size_t pattern_bytes = 256;    ///< A glob or a host range an operator types.

// A task's spec. A whole spec must fit into a batch of commands beside others.
inline constexpr std::size_t argv_count = 256;
inline constexpr std::size_t env_count = 256;
inline constexpr std::size_t spec_text_bytes = 32 * 1024;  ///< All that a spec says, in sum.
inline constexpr std::size_t path_bytes = 4096;            ///< PATH_MAX.
inline constexpr std::uint32_t instances_per_task = 100'000;
inline constexpr std::size_t env_files = 16;       ///< Read anew at each start.
inline constexpr std::size_t secrets = 32;         ///< Copied at each start.
inline constexpr std::size_t account_bytes = 255;  ///< LOGIN_NAME_MAX, without its zero.
inline constexpr Duration grace_max = 1h;  ///< A stop that takes longer is an operator's job.
inline constexpr Duration start_timeout_max = 1h;  ///< Likewise a start.
inline constexpr Duration min_healthy_max = 1h;    ///< A roll-out of many copies ends in some days.

// What a process of a task may be given, and what is kept of its words.
inline constexpr std::size_t rlimits = 16;        ///< As many as Linux has.
inline constexpr std::uint32_t umask_max = 0777;  ///< The bits that the kernel looks at.
inline constexpr std::int32_t nice_least = -20;   ///< The kernel's range.
inline constexpr std::int32_t nice_most = 19;     ///< Likewise.
inline constexpr std::uint32_t account_number_max = 0xfffffffe;  ///< The one above means `none`.
inline constexpr std::uint64_t cgroup_cpu_milli_least = 10;  ///< 1 ms of 100: the kernel's least.
inline constexpr std::uint64_t cgroup_memory_least = std::uint64_t{1} << 20U;  ///< To start at all.
inline constexpr std::uint32_t cgroup_pids_least = 2;    ///< Somebody has to wait for the process.
inline constexpr std::uint32_t cgroup_pids = 4'194'304;  ///< PID_MAX_LIMIT: there are no more.
inline constexpr std::uint64_t log_bytes_least = 64 * 1024;  ///< A crash with its stack trace.
inline constexpr std::uint64_t log_bytes_most = 1024 * 1024 * 1024;  ///< Twice an instance.
inline constexpr Duration log_age_least = 1min;  ///< A file begins anew no more often than that.
inline constexpr Duration log_age_most = 24h * 365;

/// A bundle of certificates; the copies are in memory, and made while all else waits.
inline constexpr std::size_t secret_bytes = 1024 * 1024;

// Where instances run. A task's rule and a node's offer are each looked at as a whole.
inline constexpr std::size_t labels_per_node = 32;
inline constexpr std::size_t label_bytes = 63;  ///< Of a value; a key is a name.
inline constexpr std::size_t constraints = 16;  ///< Of one task.
inline constexpr std::size_t values_per_constraint = 32;
inline constexpr std::size_t constraint_bytes = 4096;      ///< A key and all the values.
inline constexpr std::size_t limit_facts = 8;              ///< There are three limits.
inline constexpr std::uint64_t cpu_milli = 1'000'000'000;  ///< A million cores: sums fit 64 bits.
inline constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 50U;  ///< A pebibyte, likewise.
inline constexpr std::size_t groups = 10'000;          ///< That are remembered: few share a node.
inline constexpr std::int32_t priority = 1'000;        ///< On both sides of 0.
inline constexpr Duration reschedule_after_max = 24h;  ///< As long as a lost node is kept.

inline constexpr CivilMs civil_most{4'000'000'000'000};  ///< In the year 2096; sums fit 64 bits.

// Where its configuration says nothing, a host has no room for work below these, and no less than
// a hundredth of what it has.
inline constexpr std::uint64_t disk_floor_bytes = 64 * 1024 * 1024;  ///< A few logs and journals.
inline constexpr std::uint64_t disk_floor_files = 1'000;
inline constexpr std::uint64_t memory_floor = 32 * 1024 * 1024;  ///< The kernel soon kills.

// The fleet: the scale one coordinator is designed for, twice.
inline constexpr std::size_t nodes = 200'000;   ///< Names that are known: some 100 MB of records.
inline constexpr std::size_t joiners = 20'000;  ///< Of these, such as no operator listed: who asks
                                                ///< to join makes us remember him.
inline constexpr std::size_t tasks = 200'000;
inline constexpr std::size_t instances_per_node = 4'096;  ///< Their snapshot fits one message.
inline constexpr std::size_t total_instances = 2'000'000;

// Messages.
inline constexpr std::size_t agent_message_bytes = 1024 * 1024;   ///< One node's whole snapshot.
inline constexpr std::size_t operator_message_bytes = 64 * 1024;  ///< One part of a request.
inline constexpr std::size_t part_bytes = 60 * 1024;              ///< A part less its envelope.
inline constexpr std::size_t upload_bytes = 32 * 1024 * 1024;     ///< All parts of one message.
inline constexpr std::size_t map_fields = 64;    ///< More than any control message of ours has.
inline constexpr std::size_t metric_labels = 4;  ///< Ours have at most two.
inline constexpr std::size_t nesting = 8;        ///< Our deepest message has 6 levels.
/// Of any list in a reply: the instances of the largest task, each with a copy that replaces it.
inline constexpr std::size_t reply_rows = 200'000;
/// Of a daemon: nobody needs so many lines.
inline constexpr std::size_t configuration_bytes = std::size_t{1} << 20U;
inline constexpr std::size_t batch_commands = 1'024;         ///< Starts and stops in one batch.
inline constexpr std::size_t batch_spec_bytes = 512 * 1024;  ///< Half a message for its specs.

// Errands: what operators ask of agents.
inline constexpr std::uint32_t log_piece_bytes = 48 * 1024;  ///< With its envelope in one part.
inline constexpr std::size_t errands = 1'024;  ///< Awaited at once: pieces of 48 MB; then `busy`.
inline constexpr std::size_t errands_of_agent = 16;    ///< That wait for its disk, likewise.
inline constexpr std::size_t used_instances = 20'000;  ///< In an answer: 2 MB.
inline constexpr Duration errand_patience = 3s;        ///< Before the operator's own, which is 5 s.
inline constexpr std::size_t errands_kept = 256;       ///< Answered signals, for who asks again.

// Memory of an agent.
inline constexpr std::size_t agent_waiting_messages = 64;  ///< For its disk; more are lost.

// What tasks print, on an agent's disk: two files for each instance and the end of what was cut.
inline constexpr std::size_t ended_outputs = 256;  ///< Instances that are no more: at most 4.6 GB.

inline constexpr Duration post_stop_max = 1min;  ///< A command that cleans up; then it is killed.

/// A shim tells within moments that a process runs or is gone, beyond what its task may take for
/// it. After that it is asked again. To ask is harmless, also where a host is busy.
inline constexpr Duration shim_patience = 5s;

// Exclusive instances.
inline constexpr Duration lease_least = 1s;
inline constexpr Duration lease_most = 10min;  ///< A host cut off keeps its instances that long.
/// From the end of a lease to the kill at most, whatever the task's grace: who waits for it knows
/// no older spec.
inline constexpr Duration lease_grace = 10s;
inline constexpr Duration lease_kill = 1s;  ///< From the kill until the last of a tree is gone.

// Memory of the coordinator.
inline constexpr std::size_t events_kept = 10'000;     ///< About 2 MB; an hour of a busy cluster.
inline constexpr std::size_t decisions_kept = 65'536;  ///< Orders: 6 MB; what a host's death moves.
inline constexpr std::size_t requests_kept = 100'000;  ///< 24 h at one change a second.
inline constexpr std::size_t request_changes_kept = 500'000;  ///< In all their answers: 100 MB.
inline constexpr std::size_t removed_names = 10'000;  ///< Of tasks, and of nodes: 1 MB each.
inline constexpr Duration request_id_kept = 24h;
inline constexpr Duration request_id_ahead = 1h;      ///< A client's clock may be this far ahead,
inline constexpr std::size_t requests_ahead = 1'000;  ///< but so few of what is kept is from there:
inline constexpr std::size_t request_changes_ahead = 50'000;  ///< a tenth, before the last one.
inline constexpr std::size_t pending_changes = 1'024;     ///< Waiting for the store; then `busy`,
inline constexpr std::size_t pending_lines = 400'000;     ///< as with so many changed names.
inline constexpr std::size_t unread_bytes = 1024 * 1024;  ///< Of replies to a peer; then `busy`.
inline constexpr std::size_t unread_bytes_of_all = 256 * 1024 * 1024;  ///< Eight largest replies.
inline constexpr std::size_t pending_waits = 1'024;                    ///< Open `wait` requests.
inline constexpr std::size_t what_if_selectors = 256;  ///< Of a question; more is another shape.
inline constexpr Duration wait_max = 1h;
inline constexpr std::size_t pending_plans = 64;  ///< Open `plan rebalance` requests: each costs.
inline constexpr Duration plan_wait = 3s;         ///< They wait so long: less than a client does.

// Restart policy (SC-22, S16).
inline constexpr Duration backoff_least = 100ms;     ///< Less would keep a host busy with starting.
inline constexpr std::uint32_t starts_most = 1'000;  ///< Of a window; the agent remembers each.
inline constexpr Duration start_window_least = 1s;
inline constexpr Duration start_window_most = 24h;
inline constexpr Duration backoff_max = 5min;
/// A program that is not there: an operator who installs it sees it run before he looks twice.
inline constexpr Duration between_tries_of_failed = 30s;
inline constexpr Duration good_conduct = 10min;  ///< Running this long resets the back-off.

}  // namespace muster::limits
