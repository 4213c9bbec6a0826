#pragma once

#include <optional>
#include <string>

#include "cli/command_line.hpp"
#include "cli/screen/table.hpp"
#include "cli/screen/terminal.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/net/security/security.hpp"

namespace muster::cli {

/// The environment's variables; an unset one is empty.
struct Environment {
    std::string coordinator;  ///< MUSTER_COORDINATOR
    std::string events;       ///< MUSTER_EVENTS
    std::string context{};    ///< MUSTER_CONTEXT
};

[[nodiscard]] Environment environment_of_process();

/// Settings for one run of `muster`, whatever its verb.
struct Settings {
    std::string coordinator;                ///< An endpoint.
    std::optional<net::ClientKeys> keys{};  ///< Of the context; none for ipc.
    std::string context{};                  ///< Whose keys these are.
    std::string events;                     ///< Empty: the coordinator's own.
    Duration timeout = 5s;
    Duration interval = 1s;  ///< Between two updates of --watch.
    bool json = false;
    Terminal terminal;

    [[nodiscard]] Style style() const {
        return {.colours = terminal.colours, .columns = terminal.columns};
    }
};

/// The options, else the environment, else the context, else the coordinator's own socket on this
/// host if it exists, else its default port. The keys are those of the context. An error is about
/// the command line: exit code 2.
[[nodiscard]] Result<Settings> settings_of(const CommandLine& line, const Environment& environment,
                                           const Terminal& terminal);

}  // namespace muster::cli
