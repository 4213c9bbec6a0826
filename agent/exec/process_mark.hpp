#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "agent/core/agent.hpp"
#include "common/ids.hpp"

/// How a process is known as ours, when it is no child of ours and left its group: by a variable in
/// its environment, which its descendants inherit.
///
///     MUSTER_PROCESS=<home>/<life>/<number>
///
/// The home stands for the agent's state directory, so that several agents of one host know their
/// own. A weakness: a program that writes over its own environment, or starts another without it,
/// hides that one from us once it has also left its process group, and from our next life at once.
namespace muster {

inline constexpr std::string_view process_mark_variable = "MUSTER_PROCESS";

struct ProcessMark {
    std::string home;
    LifeId life;
    ProcessId process{};

    friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};

[[nodiscard]] std::string to_string(const ProcessMark& mark);
[[nodiscard]] std::optional<ProcessMark> parse_process_mark(std::string_view text);

/// The home of a state directory: its device and inode. Empty if it cannot be looked at.
[[nodiscard]] std::string home_of(const std::string& state_directory);

/// The mark of a process; nothing if it has none, is gone, or is not ours to look at.
[[nodiscard]] std::optional<ProcessMark> mark_of(pid_t pid);

/// False for a process that is just becoming another program, or was given no environment at all.
[[nodiscard]] bool shows_environment(pid_t pid);

/// The children of this process, those adopted among them, in no order. One may be missing while
/// others come and go.
[[nodiscard]] std::vector<pid_t> children_of_this_process();

/// All processes of the host that have the mark of this home, but not this process.
[[nodiscard]] std::vector<pid_t> processes_of_home(const std::string& home);

}  // namespace muster
