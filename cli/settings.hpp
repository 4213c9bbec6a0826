#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "cli/screen/table.hpp"
#include "cli/screen/terminal.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace muster::cli {

/// What the environment says; a variable that is unset is empty.
struct Environment {
    std::string coordinator;  ///< MUSTER_COORDINATOR
    std::string events;       ///< MUSTER_EVENTS
};

[[nodiscard]] Environment environment_of_process();

/// What holds for the whole of one `muster`, whatever its verb.
struct Settings {
    std::string coordinator;  ///< An endpoint.
    std::string events;       ///< An endpoint. Empty: where the coordinator publishes them.
    Duration timeout = 5s;
    Duration interval = 1s;  ///< Between two of --watch.
    bool json = false;
    Terminal terminal;

    [[nodiscard]] Style style() const {
        return {.colours = terminal.colours, .columns = terminal.columns};
    }
};

/// The options, else the environment, else the coordinator's own socket on this host if it is
/// there, else its default port. An error is about the command line: exit code 2.
[[nodiscard]] Result<Settings> settings_of(const CommandLine& line, const Environment& environment,
                                           const Terminal& terminal);

}  // namespace muster::cli
