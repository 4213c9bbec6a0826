#include <optional>
#include <string>
#include <utility>

#include "agent/daemon.hpp"
#include "agent/settings.hpp"
#include "common/daemon_main.hpp"
#include "common/standard_files.hpp"

namespace {

using namespace muster::daemon_main;

constexpr Program program{"muster-agent", MUSTER_VERSION,
                          "Runs tasks on this host as its coordinator wants them."};

/// What the command line may say over the configuration. Empty: not said.
struct Arguments {
    std::string config;
    std::string name;
    std::string coordinator;
    std::string state_dir;
    std::string run_dir;
    std::string log_level;
};

std::optional<int> read_into(Arguments& into, int argc, char** argv) {
    return read_command_line(
        argc, argv, program,
        {{"--config", &into.config, "Configuration file (TOML); none is needed"},
         {"--name", &into.name, "Name of this node; else the host's"},
         {"--coordinator", &into.coordinator, "Endpoint of the coordinator (tcp://127.0.0.1:7700)"},
         {"--state-dir", &into.state_dir, "Where memory, logs and work are kept"},
         {"--run-dir", &into.run_dir, "Where the agent's ipc socket is made"},
         {"--log-level", &into.log_level, "trace, debug, info, warn or error"}});
}

/// What the command line says over the configuration file.
muster::Result<muster::AgentSettings> overridden(muster::AgentSettings settings,
                                                 const Arguments& arguments) {
    if (auto taken = override_with(arguments.log_level, settings.log_level); !taken) {
        return tl::unexpected{taken.error()};
    }
    override_with(arguments.name, settings.name);
    override_with(arguments.coordinator, settings.coordinator);
    override_with(arguments.state_dir, settings.state_dir);
    override_with(arguments.run_dir, settings.run_dir);
    settings.version = MUSTER_VERSION;
    return muster::completed(std::move(settings));
}

}  // namespace

int main(int argc, char** argv) {
    muster::hold_standard_files();
    Arguments arguments;
    if (const auto status = read_into(arguments, argc, argv)) {
        return *status;
    }
    const auto text = configuration(arguments.config);
    if (!text) {
        return end_with(exit_error, program.name, text.error().detail);
    }
    auto configured = muster::agent_settings_from_toml(*text, arguments.config);
    if (!configured) {
        return end_with(exit_error, program.name, configured.error().detail);
    }
    const auto settings = overridden(std::move(*configured), arguments);
    if (!settings) {
        return end_with(exit_usage, program.name, settings.error().detail);
    }
    if (const auto run = muster::run_agent(*settings); !run) {
        return end_with(exit_error, program.name, run.error().detail);
    }
    return 0;
}
