#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "agent/core/journal.hpp"

/// Identifies our processes after their shim is gone: by a variable in the environment, which
/// descendants inherit.
///
///     MUSTER_PROCESS=<home>/<number>
///
/// The home identifies the agent's state directory, so that several agents of one host can
/// distinguish their processes apart. A weakness: a program that overwrites its environment, or
/// starts another program without the variable, hides that process from us once the shim was
/// killed.
namespace muster::agent {

inline constexpr std::string_view process_mark_variable = "MUSTER_PROCESS";

struct ProcessMark {
    std::string home;
    ProcessId process{};

    friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};

[[nodiscard]] std::string to_string(const ProcessMark& mark);
[[nodiscard]] std::optional<ProcessMark> parse_process_mark(std::string_view text);

/// The home of a state directory: its device and inode. Empty if they cannot be read.
[[nodiscard]] std::string home_of(const std::string& state_directory);

/// The mark of a process. Nothing: it has none, is gone, or cannot be read.
[[nodiscard]] std::optional<ProcessMark> mark_of(pid_t pid);

struct MarkedProcess {
    pid_t pid = 0;
    ProcessId process{};
};

/// All processes of the host with the mark of this home, except this process. A process shows no
/// mark for a moment while it executes another program.
[[nodiscard]] std::vector<MarkedProcess> processes_of_home(const std::string& home);

/// When a process started, in the kernel's ticks. Nothing: it is gone.
[[nodiscard]] std::optional<std::uint64_t> start_ticks_of(pid_t pid);

}  // namespace muster::agent
