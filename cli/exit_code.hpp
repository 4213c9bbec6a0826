#pragma once

#include <span>
#include <string_view>

#include "common/base/result.hpp"

namespace muster::cli {

/// Exit codes of `muster`, for scripts. The numbers are stable: docs/reference/exit-codes.md lists
/// them.
enum class ExitCode : int {
    ok = 0,
    error = 1,
    usage = 2,        ///< The command line is invalid.
    difference = 3,   ///< The cluster is not as asked: `plan`, `status --check`, a halted roll-out.
    unreachable = 4,  ///< No coordinator answers, or none leads.
    timeout = 5,      ///< The wait or the request ran out of time.
    refused = 6,      ///< Valid, but not allowed.
};

struct ExitEntry {
    ExitCode code{};
    std::string_view meaning;
};

/// All exit codes with their meaning, for the manual and the documentation.
[[nodiscard]] std::span<const ExitEntry> exit_table();

/// The exit code of a failed request.
[[nodiscard]] ExitCode exit_code_of(Errc code);

}  // namespace muster::cli
