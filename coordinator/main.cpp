#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "common/net/endpoint.hpp"
#include "coordinator/daemon.hpp"
#include "coordinator/options.hpp"

namespace {

constexpr int exit_error = 1;
constexpr int exit_usage = 2;

/// What the command line may say over the configuration. Empty: not said.
struct Arguments {
    std::string config;
    std::string state_dir;
    std::string run_dir;
    std::string log_level;
    std::string agents;
    std::string operators;
    std::string events;
};

void declare(CLI::App& app, Arguments& into) {
    app.set_version_flag("--version", "muster-coordinator " MUSTER_VERSION);
    app.add_option("--config", into.config, "Configuration file (TOML); none is needed");
    app.add_option("--state-dir", into.state_dir, "Where the wanted state is kept");
    app.add_option("--run-dir", into.run_dir, "Where the operators' ipc socket is made");
    app.add_option("--log-level", into.log_level, "trace, debug, info, warn or error");
    app.add_option("--agents", into.agents, "Endpoint for agents (tcp://127.0.0.1:7700)");
    app.add_option("--operators", into.operators, "Endpoint for operators (tcp://127.0.0.1:7701)");
    app.add_option("--events", into.events, "Endpoint for events (tcp://127.0.0.1:7702)");
}

void override_with(const std::string& given, std::string& option) {
    if (!given.empty()) {
        option = given;
    }
}

/// What the configuration file says.
muster::Result<muster::Options> configured(const std::string& path) {
    if (path.empty()) {
        return muster::Options{};
    }
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        return muster::fail(muster::Errc::io, "configuration '" + path + "' cannot be read");
    }
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    return muster::options_from_toml(text, path);
}

muster::Result<void> override_endpoint(const char* name, const std::string& given,
                                       std::string& option) {
    if (given.empty()) {
        return {};
    }
    auto endpoint = muster::net::local_endpoint(given);
    if (!endpoint) {
        return muster::fail(muster::Errc::invalid,
                            std::string{name} + ": " + endpoint.error().detail);
    }
    option = std::move(*endpoint);
    return {};
}

/// What the command line says over it.
muster::Result<void> override_all(const Arguments& arguments, muster::Options& options) {
    if (!arguments.log_level.empty()) {
        const auto level = muster::log::parse_level(arguments.log_level);
        if (!level) {
            return tl::unexpected{level.error()};
        }
        options.log_level = *level;
    }
    override_with(arguments.state_dir, options.state_dir);
    override_with(arguments.run_dir, options.run_dir);
    auto& endpoints = options.endpoints;
    auto taken = override_endpoint("--agents", arguments.agents, endpoints.agents);
    if (taken) {
        taken = override_endpoint("--operators", arguments.operators, endpoints.operators);
    }
    return taken ? override_endpoint("--events", arguments.events, endpoints.events) : taken;
}

void complain(std::string sentence) {
    // It may repeat what was given to us: nothing of that is to reach a terminal as an order.
    std::replace_if(
        sentence.begin(), sentence.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    std::fprintf(stderr, "muster-coordinator: %s\n", sentence.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Keeps a wanted set of tasks running on a fleet of agents."};
    Arguments arguments;
    declare(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    auto options = configured(arguments.config);
    if (!options) {
        complain(options.error().detail);
        return exit_error;
    }
    if (const auto taken = override_all(arguments, *options); !taken) {
        complain(taken.error().detail);
        return exit_usage;
    }
    options->core.version = MUSTER_VERSION;
    if (const auto run = muster::run_coordinator(*options); !run) {
        complain(run.error().detail);
        return exit_error;
    }
    return 0;
}
