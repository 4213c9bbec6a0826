#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "agent/daemon.hpp"
#include "agent/settings.hpp"

namespace {

constexpr int exit_error = 1;
constexpr int exit_usage = 2;

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

void override_with(const std::string& given, std::string& option) {
    if (!given.empty()) {
        option = given;
    }
}

/// What the configuration file says.
muster::Result<muster::AgentSettings> configured(const std::string& path) {
    if (path.empty()) {
        return muster::AgentSettings{};
    }
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        return muster::fail(muster::Errc::io, "configuration '" + path + "' cannot be read");
    }
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    return muster::agent_settings_from_toml(text, path);
}

/// The same with what the command line says over it.
muster::Result<muster::AgentSettings> overridden(muster::AgentSettings settings,
                                                 const Arguments& arguments) {
    if (!arguments.log_level.empty()) {
        const auto level = muster::log::parse_level(arguments.log_level);
        if (!level) {
            return tl::unexpected{level.error()};
        }
        settings.log_level = *level;
    }
    override_with(arguments.name, settings.name);
    override_with(arguments.coordinator, settings.coordinator);
    override_with(arguments.state_dir, settings.state_dir);
    override_with(arguments.run_dir, settings.run_dir);
    settings.version = MUSTER_VERSION;
    return muster::completed(std::move(settings));
}

void complain(std::string sentence) {
    // It may repeat what was given to us: nothing of that is to reach a terminal as an order.
    std::replace_if(
        sentence.begin(), sentence.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    std::fprintf(stderr, "muster-agent: %s\n", sentence.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Runs tasks on this host as its coordinator wants them."};
    Arguments arguments;
    declare(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    if (app.count("--name") > 0 && arguments.name.empty()) {
        complain("--name is empty; give a name, or leave it out for the host's");
        return exit_usage;
    }
    auto from_file = configured(arguments.config);
    if (!from_file) {
        complain(from_file.error().detail);
        return exit_error;
    }
    const auto settings = overridden(std::move(*from_file), arguments);
    if (!settings) {
        complain(settings.error().detail);
        return exit_usage;
    }
    if (const auto run = muster::run_agent(*settings); !run) {
        complain(run.error().detail);
        return exit_error;
    }
    return 0;
}
