#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.hpp"
#include "common/placement.hpp"
#include "common/result.hpp"
#include "common/time.hpp"

namespace muster {

/// When an ended process is started again.
enum class RestartPolicy : std::uint8_t { always, on_failure, never };

/// How a new generation takes over. Both 0 is refused.
struct UpdatePolicy {
    std::uint32_t max_surge = 1;        ///< Copies above `instances` that may exist meanwhile.
    std::uint32_t max_unavailable = 1;  ///< Copies a roll-out may have taken down at a time.

    friend bool operator==(const UpdatePolicy&, const UpdatePolicy&) = default;
};

/// What one instance of a task runs, and how: everything whose change makes a new generation.
/// The number of instances and where they run are not part of it (see WantedTask).
struct TaskSpec {
    std::vector<std::string> argv;           ///< Never passed through a shell.
    std::map<std::string, std::string> env;  ///< Added to a small fixed environment.
    std::string workdir;                     ///< Empty: the agent's directory for the instance.
    std::string stop_signal = "TERM";        ///< One of TERM INT QUIT HUP USR1 USR2 KILL.
    Duration grace = 10s;                    ///< From the stop signal to the kill; whole ms.
    RestartPolicy restart = RestartPolicy::always;
    std::uint32_t max_per_node = 1;  ///< Instances of this task on one node at most.
    UpdatePolicy update;

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

[[nodiscard]] std::string_view to_string(RestartPolicy policy);

/// The first rule that a task breaks. This is the one place of these rules.
[[nodiscard]] std::optional<FieldFault> fault_of(const WantedTask& task);

/// Checks every rule of a task: name, argv, sizes, ranges. The error names the task and the field,
/// and says what would be right.
[[nodiscard]] Result<void> validate(const WantedTask& task);

/// Identifies a spec: equal specs have equal digests on every machine (see fnv.hpp).
[[nodiscard]] Digest digest_of(const TaskSpec& spec);

/// The signal number of a stop signal's name; nothing if it is not one we allow.
[[nodiscard]] Result<int> stop_signal_number(std::string_view name);

}  // namespace muster
