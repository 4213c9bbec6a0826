#pragma once

#include "cli/command_line.hpp"
#include "common/base/result.hpp"
#include "common/messages/operator.hpp"

namespace muster::cli {

/// A request that cannot be made, and whether the command line is to blame (exit code 2) or what
/// it points to, such as a task file.
struct BadRequest {
    bool usage = true;
    Error error;
};

/// What the command line asks of the coordinator; to show what matches a pattern it first has to
/// be listed. `apply`, `plan` and `task add` are read and checked here, so that a bad file is named
/// with its line and never leaves this host.
[[nodiscard]] tl::expected<RequestBody, BadRequest> request_of(const CommandLine& line);

}  // namespace muster::cli
