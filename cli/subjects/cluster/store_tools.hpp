#pragma once

#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"

namespace muster::cli {

/// `store export`, `import`, `check`, `migrate`, `backup`: goes on as muster-coordinator, which
/// knows the stores. Returns only if that is not possible.
[[nodiscard]] ExitCode run_store(const CommandLine& line);

}  // namespace muster::cli
