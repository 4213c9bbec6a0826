#pragma once

#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"
#include "cli/subjects/console.hpp"

/// The verbs that need a coordinator, one group a file.
namespace muster::cli {

/// Reads: once, or repeatedly with --watch; `status --check` and `plan` compare.
[[nodiscard]] ExitCode run_read(Console& console, const CommandLine& line,
                                const RequestBody& request);

/// Changes: sent once. `apply --replace` shows what it removes and asks first.
[[nodiscard]] ExitCode run_change(Console& console, const CommandLine& line,
                                  const RequestBody& request);

/// `wait`: prints its progress until the state is reached or the time is over. With --finished it
/// ends with the highest exit code of the instances.
[[nodiscard]] ExitCode run_wait(Console& console, const WaitRequest& request);

/// `apply --wait`: the same for each of these tasks, within one total timeout.
[[nodiscard]] ExitCode wait_for_applied(Console& console, const ChangeReply& changed);

/// `node drain`: starts it, and with --watch follows it until the node is empty or the time is
/// over.
[[nodiscard]] ExitCode run_drain(Console& console, const CommandLine& line,
                                 const NodeDrainRequest& request);

/// `events`: kept ones, and with --follow future ones.
[[nodiscard]] ExitCode run_events(Console& console, const CommandLine& line, EventsRequest request);

/// `logs`: kept output, and with --follow future output.
[[nodiscard]] ExitCode run_logs(Console& console, const CommandLine& line, LogsRequest request);

/// `token create`: prints the command with which a host joins.
[[nodiscard]] ExitCode run_token(Console& console, TokenCreateRequest request);
/// `key rotate` without a name: replaces the key of the context.
[[nodiscard]] ExitCode run_rotate(Console& console);

/// `coordinator resign`: shows the coordinators once another one leads.
[[nodiscard]] ExitCode run_resign(Console& console);

/// `audit export`: all rows, page by page.
[[nodiscard]] ExitCode run_audit_export(Console& console);

/// `doctor`: what is weak or broken; exit code 3 if anything is.
[[nodiscard]] ExitCode run_doctor(Console& console, const std::string& version);
/// `bundle`: an archive for a person who is to help.
[[nodiscard]] ExitCode run_bundle(Console& console, const CommandLine& line,
                                  const std::string& version);

/// `top`: the use between two measurements, repeatedly unless --once.
[[nodiscard]] ExitCode run_top(Console& console, const CommandLine& line,
                               const UsageRequest& request);

}  // namespace muster::cli
