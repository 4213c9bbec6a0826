#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "agent/core/journal.hpp"

/// How a process is known as ours when its shim is no more: by a variable in its environment, which
/// its descendants inherit.
///
///     MUSTER_PROCESS=<home>/<number>
///
/// The home stands for the agent's state directory, so that several agents of one host know their
/// own. A weakness: a program that writes over its own environment, or starts another without it,
/// hides that one from us once its shim was killed.
namespace muster::agent {

inline constexpr std::string_view process_mark_variable = "MUSTER_PROCESS";

struct ProcessMark {
    std::string home;
    ProcessId process{};

    friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};

[[nodiscard]] std::string to_string(const ProcessMark& mark);
[[nodiscard]] std::optional<ProcessMark> parse_process_mark(std::string_view text);

/// The home of a state directory: its device and inode. Empty if it cannot be looked at.
[[nodiscard]] std::string home_of(const std::string& state_directory);

/// The mark of a process; nothing if it has none, is gone, or is not ours to look at.
[[nodiscard]] std::optional<ProcessMark> mark_of(pid_t pid);

struct MarkedProcess {
    pid_t pid = 0;
    ProcessId process{};
};

/// All processes of the host that have the mark of this home, but not this process. One that is
/// just becoming another program shows no mark for a moment.
[[nodiscard]] std::vector<MarkedProcess> processes_of_home(const std::string& home);

/// When a process started, in the kernel's ticks; nothing: it is gone.
[[nodiscard]] std::optional<std::uint64_t> start_ticks_of(pid_t pid);

}  // namespace muster::agent
