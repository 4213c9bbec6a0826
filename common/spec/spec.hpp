#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fnv.hpp"
#include "common/base/ids.hpp"
#include "common/base/names.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/spec/placement.hpp"

namespace muster {

/// When an ended process is started again.
enum class RestartPolicy : std::uint8_t { always, on_failure, never };
template <>
inline constexpr auto enum_names<RestartPolicy> = name_list("always", "on-failure", "never");

/// When and how often an ended process is started again.
struct RestartRule {
    RestartPolicy policy = RestartPolicy::always;
    Duration backoff = 1s;    ///< The first delay; doubled up to limits::backoff_max.
    std::uint32_t max = 10;   ///< Starts within `window`; then the instance has failed.
    Duration window = 10min;  ///< Delays and windows are whole milliseconds.

    friend bool operator==(const RestartRule&, const RestartRule&) = default;
};

/// A bound of the kernel for one process. Unlimited has all bits set, as in RLIM_INFINITY.
enum class RlimitValue : std::uint64_t { unlimited = ~std::uint64_t{0} };
/// Its text form.
inline constexpr std::string_view unlimited = "unlimited";
[[nodiscard]] inline std::string to_string(RlimitValue value) {
    return value == RlimitValue::unlimited ? std::string{unlimited} : std::to_string(raw(value));
}

struct Rlimit {
    RlimitValue soft = RlimitValue::unlimited;
    RlimitValue hard = RlimitValue::unlimited;  ///< At least `soft`.

    friend bool operator==(const Rlimit&, const Rlimit&) = default;
};

/// The cgroup limits of an instance with all its processes. 0: no bound.
struct CgroupLimits {
    std::uint64_t cpu_milli = 0;  ///< 1,000 are one core.
    std::uint64_t memory_bytes = 0;
    std::uint32_t pids = 0;  ///< Processes and threads.

    friend bool operator==(const CgroupLimits&, const CgroupLimits&) = default;
};

/// How much of an instance's output is kept, for each of its two streams: in two files, each of at
/// most half.
struct LogRule {
    std::uint64_t max_bytes = std::uint64_t{16} << 20U;
    Duration max_age{};  ///< Older lines are deleted. 0: only size counts.

    friend bool operator==(const LogRule&, const LogRule&) = default;
};

/// How much of its host a process can reach.
enum class Sandbox : std::uint8_t {
    none,
    strict,  ///< A read-only file system, its own /tmp, and no network.
};
template <>
inline constexpr auto enum_names<Sandbox> = name_list("none", "strict");

/// How a new generation takes over. Both 0 is refused.
struct UpdatePolicy {
    std::uint32_t max_surge = 1;        ///< Copies above `instances` that may exist meanwhile.
    std::uint32_t max_unavailable = 1;  ///< Copies that a roll-out may stop at a time.
    /// A new copy counts for a roll-out once it has run this long; whole ms. 0: once it runs.
    Duration min_healthy = 10s;

    friend bool operator==(const UpdatePolicy&, const UpdatePolicy&) = default;
};

/// A max_surge without a value, while a task is read: see apply_defaults(). This number on the wire
/// means the same.
inline constexpr std::uint32_t max_surge_unsaid = ~std::uint32_t{0};

/// How one instance of a task runs: all that makes a new generation when it changes. The number of
/// instances and their nodes are not part of it (see WantedTask).
///
/// The agent replaces variables in argv, the values of env, env_files, workdir, pre_start and
/// post_stop (see template.hpp).
struct TaskSpec {
    std::vector<std::string> argv;           ///< Never passed through a shell.
    std::map<std::string, std::string> env;  ///< Added to a small fixed environment.
    std::vector<std::string> env_files;      ///< On the host; lines NAME=value, read at each start.
    std::string workdir;                     ///< Empty: the agent's directory for the instance.
    std::string user;                        ///< A name or a number. Empty: the agent's own.
    std::string user_group;                  ///< A name or a number; `group` is an affinity.
    std::uint32_t umask = 0077;
    std::int32_t nice = 0;
    std::map<std::string, Rlimit> rlimits;  ///< By the names of rlimit_resource().
    CgroupLimits limits;
    Duration start_timeout{};            ///< For pre_start and the start. 0: none.
    std::vector<std::string> pre_start;  ///< argv of a command before each start. Empty: none.
    std::vector<std::string> post_stop;  ///< argv of a command after each end. Empty: none.
    std::vector<std::string> secrets;    ///< Files of the host, copied to ${MUSTER_SECRETS}.
    std::string stop_signal = "TERM";    ///< One of TERM INT QUIT HUP USR1 USR2 KILL.
    Duration grace = 10s;                ///< From the stop signal to the kill; whole ms.
    RestartRule restart;
    std::uint32_t max_per_node = 1;  ///< Of this task.
    UpdatePolicy update;
    bool exclusive = false;  ///< Never two copies of an instance; `update.max_surge` is 0.
    LogRule log;
    Sandbox sandbox = Sandbox::none;
    std::vector<std::string> cluster_secrets;  ///< Kept by the coordinator; in the same directory.
    std::string signature;  ///< `KEY SIGNATURE` of an operator (signed_spec.hpp). Empty: none.

    friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

/// An entry of the wanted workload as an operator writes it.
struct WantedTask {
    std::string name;
    std::uint32_t instances = 1;  ///< With `every_node`: 1, or 0 for nowhere.
    TaskSpec spec;
    PlacementRule place{};

    friend bool operator==(const WantedTask&, const WantedTask&) = default;
};

/// Sets defaults after a spec was read: max_surge_unsaid becomes 1, or 0 for an exclusive task.
void apply_defaults(TaskSpec& spec);

/// The first broken rule of a task. All these rules are here.
[[nodiscard]] std::optional<FieldFault> fault_of(const WantedTask& task);

/// Checks every rule of a task: name, argv, sizes, ranges. The error names the task and the field,
/// and what would be right.
[[nodiscard]] Result<void> validate(const WantedTask& task);

/// Identifies a spec: equal specs have equal digests on every machine (see fnv.hpp).
[[nodiscard]] Digest digest_of(const TaskSpec& spec);

/// Adds a rule of placement to the digest of a request.
void hash_placement(Fnv& fnv, const PlacementRule& rule);

/// The names that `rlimits` may have, sorted.
[[nodiscard]] std::span<const std::string_view> rlimit_names();
/// The kernel's number of such a resource; an error lists the names.
[[nodiscard]] Result<int> rlimit_resource(std::string_view name);

/// The signal number for the name of an allowed stop signal; nothing for other names.
[[nodiscard]] Result<int> stop_signal_number(std::string_view name);

}  // namespace muster
