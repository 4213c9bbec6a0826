#pragma once

#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"
#include "cli/subjects/console.hpp"

/// What the verbs do that ask a coordinator, a group to a file.
namespace muster::cli {

/// Reads: asked once, or again and again with --watch; `status --check` and `plan` compare.
[[nodiscard]] ExitCode run_read(Console& console, const CommandLine& line,
                                const RequestBody& request);

/// Changes: done at once. `apply --replace` shows what it removes and asks first.
[[nodiscard]] ExitCode run_change(Console& console, const CommandLine& line,
                                  const RequestBody& request);

/// `wait`: says what it waits for, until that is so or the time is over. With --finished it ends
/// with the highest exit code of the instances.
[[nodiscard]] ExitCode run_wait(Console& console, const WaitRequest& request);

/// `apply --wait`: the same of each of these tasks, within one time.
[[nodiscard]] ExitCode wait_for_applied(Console& console, const ChangeReply& changed);

/// `node drain`: begun, and with --watch looked at until nothing runs there or its time is over.
[[nodiscard]] ExitCode run_drain(Console& console, const CommandLine& line,
                                 const NodeDrainRequest& request);

/// `events`: those kept, and with --follow those to come.
[[nodiscard]] ExitCode run_events(Console& console, const CommandLine& line, EventsRequest request);

/// `logs`: what is kept, and with --follow what is to come.
[[nodiscard]] ExitCode run_logs(Console& console, const CommandLine& line, LogsRequest request);

/// `top`: what is used between two measurements, again and again unless --once.
[[nodiscard]] ExitCode run_top(Console& console, const CommandLine& line,
                               const UsageRequest& request);

}  // namespace muster::cli
