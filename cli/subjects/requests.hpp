#pragma once

#include "cli/command_line.hpp"
#include "cli/subjects/request_values.hpp"

namespace muster::cli {

/// What the command line asks of the coordinator; to show what matches a pattern it first has to
/// be listed. `apply`, `plan` and `task add` are read and checked here, so that a bad file is named
/// with its line and never leaves this host.
[[nodiscard]] Made request_of(const CommandLine& line);

}  // namespace muster::cli
