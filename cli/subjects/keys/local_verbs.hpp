#pragma once

#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"

/// The verbs about keys and contexts that need no coordinator.
namespace muster::cli {

/// `init`: makes the keys of a new cluster, and a context for its first admin.
[[nodiscard]] ExitCode run_init(const CommandLine& line);
/// `context add`: makes a key for another cluster, and says how to admit it.
[[nodiscard]] ExitCode run_context_add(const CommandLine& line);
[[nodiscard]] ExitCode run_context_use(const CommandLine& line);
[[nodiscard]] ExitCode run_context_list(const CommandLine& line);
/// `signer create`: makes a key that signs specs.
[[nodiscard]] ExitCode run_signer_create(const CommandLine& line);

}  // namespace muster::cli
