#pragma once

#include <span>
#include <string_view>

#include "common/base/result.hpp"

namespace muster::cli {

/// How `muster` ends, for scripts. The numbers are a promise: docs/reference/exit-codes.md lists
/// them.
enum class ExitCode : int {
    ok = 0,
    error = 1,
    usage = 2,        ///< The command line makes no sense.
    difference = 3,   ///< The cluster is not as asked: `plan`, `status --check`, a halted roll-out.
    unreachable = 4,  ///< No coordinator answers, or none leads.
    timeout = 5,      ///< It was asked, and what was waited for did not come in time.
    refused = 6,      ///< Understood, and not allowed.
};

struct ExitEntry {
    ExitCode code{};
    std::string_view meaning;
};

/// All there are, with what they mean, for the manual and the documentation.
[[nodiscard]] std::span<const ExitEntry> exit_table();

/// The exit code of a failed request.
[[nodiscard]] ExitCode exit_code_of(Errc code);

}  // namespace muster::cli
