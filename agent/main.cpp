#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "agent/daemon.hpp"
#include "agent/settings.hpp"
#include "common/daemon_main.hpp"
#include "common/standard_files.hpp"

namespace {

using namespace muster::daemon_main;

constexpr auto program = "muster-agent";

/// What the command line may say over the configuration. Empty: not said.
struct Arguments {
    std::string config;
    std::string name;
    std::string coordinator;
    std::string state_dir;
    std::string run_dir;
    std::string log_level;
};

void declare(CLI::App& app, Arguments& into) {
    app.set_version_flag("--version", "muster-agent " MUSTER_VERSION);
    app.add_option("--config", into.config, "Configuration file (TOML); none is needed");
    app.add_option("--name", into.name, "Name of this node; else the host's");
    app.add_option("--coordinator", into.coordinator,
                   "Endpoint of the coordinator (tcp://127.0.0.1:7700)");
    app.add_option("--state-dir", into.state_dir, "Where memory, logs and work are kept");
    app.add_option("--run-dir", into.run_dir, "Where the agent's ipc socket is made");
    app.add_option("--log-level", into.log_level, "trace, debug, info, warn or error");
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
    CLI::App app{"Runs tasks on this host as its coordinator wants them."};
    Arguments arguments;
    declare(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    if (app.count("--name") > 0 && arguments.name.empty()) {
        return end_with(exit_usage, program,
                        "--name is empty; give a name, or leave it out for the host's");
    }
    const auto text = configuration(arguments.config);
    if (!text) {
        return end_with(exit_error, program, text.error().detail);
    }
    auto configured = muster::agent_settings_from_toml(*text, arguments.config);
    if (!configured) {
        return end_with(exit_error, program, configured.error().detail);
    }
    const auto settings = overridden(std::move(*configured), arguments);
    if (!settings) {
        return end_with(exit_usage, program, settings.error().detail);
    }
    if (const auto run = muster::run_agent(*settings); !run) {
        return end_with(exit_error, program, run.error().detail);
    }
    return 0;
}
