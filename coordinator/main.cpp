#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/process.hpp"
#include "common/log/daemon_main.hpp"
#include "common/net/endpoint.hpp"
#include "coordinator/daemon.hpp"
#include "coordinator/options.hpp"

namespace {

using namespace muster::daemon_main;

constexpr Program program{"muster-coordinator", MUSTER_VERSION,
                          "Keeps a wanted set of tasks running on a fleet of agents."};

/// What the command line may override in the configuration. Empty: not given.
struct Arguments {
    std::string config;
    std::string state_dir;
    std::string run_dir;
    std::string log_level;
    std::string agents;
    std::string operators;
    std::string events;
    std::string enrolment;
    std::string advertise;
    std::string http;
    bool insecure_loopback = false;
};

std::optional<int> read_into(Arguments& into, int argc, char** argv) {
    return read_command_line(
        argc, argv, program,
        {{"--config", &into.config, "Configuration file (TOML); none is needed"},
         {"--state-dir", &into.state_dir, "Where the wanted state is kept"},
         {"--run-dir", &into.run_dir, "Where the operators' ipc socket is made"},
         {"--log-level", &into.log_level, "trace, debug, info, warn or error"},
         {"--agents", &into.agents, "Endpoint for agents (tcp://127.0.0.1:7700)"},
         {"--operators", &into.operators, "Endpoint for operators (tcp://127.0.0.1:7701)"},
         {"--events", &into.events, "Endpoint for events (beside operators, the next port)"},
         {"--enrolment", &into.enrolment,
          "Endpoint where hosts enrol (beside agents, three ports higher)"},
         {"--advertise", &into.advertise, "Name or address of this host for others"},
         {"--http", &into.http, "Endpoint for HTTP (tcp://127.0.0.1:7780), or none"},
         {"--insecure-loopback", nullptr,
          "Listen on loopback without keys: every process of this host may command the cluster",
          &into.insecure_loopback}});
}

using Reader = muster::Result<std::string> (*)(std::string_view text);

muster::Result<void> override_endpoint(const char* name, const std::string& given,
                                       std::string& option,
                                       Reader read = muster::net::endpoint_to_bind) {
    if (given.empty()) {
        return {};
    }
    auto endpoint = read(given);
    if (!endpoint) {
        return muster::fail(muster::Errc::invalid,
                            std::string{name} + ": " + endpoint.error().detail);
    }
    option = std::move(*endpoint);
    return {};
}

/// Applies the command line to the configuration.
muster::Result<void> override_all(const Arguments& arguments,
                                  muster::coordinator::Options& options) {
    if (auto taken = override_with(arguments.log_level, options.log_level); !taken) {
        return taken;
    }
    override_with(arguments.state_dir, options.state_dir);
    override_with(arguments.run_dir, options.run_dir);
    auto& endpoints = options.endpoints;
    auto taken = override_endpoint("--agents", arguments.agents, endpoints.agents);
    if (taken) {
        taken = override_endpoint("--operators", arguments.operators, endpoints.operators);
    }
    if (taken) {
        taken = override_endpoint("--events", arguments.events, endpoints.events);
    }
    if (taken) {
        taken = override_endpoint("--enrolment", arguments.enrolment, endpoints.enrolment);
    }
    override_with(arguments.advertise, endpoints.advertise);
    options.insecure_loopback = options.insecure_loopback || arguments.insecure_loopback;
    return taken ? override_endpoint("--http", arguments.http, endpoints.http,
                                     muster::coordinator::http_endpoint)
                 : taken;
}

}  // namespace

int main(int argc, char** argv) {
    muster::hold_standard_files();
    muster::keep_freed_memory();
    Arguments arguments;
    if (const auto status = read_into(arguments, argc, argv)) {
        return *status;
    }
    const auto text = configuration(arguments.config);
    if (!text) {
        return end_with(exit_error, program.name, text.error().detail);
    }
    auto options = muster::coordinator::options_from_toml(*text, arguments.config);
    if (!options) {
        return end_with(exit_error, program.name, options.error().detail);
    }
    if (const auto taken = override_all(arguments, *options); !taken) {
        return end_with(exit_usage, program.name, taken.error().detail);
    }
    options->core.version = MUSTER_VERSION;
    if (const auto run = muster::coordinator::run_coordinator(*options); !run) {
        return end_with(exit_error, program.name, run.error().detail);
    }
    return 0;
}
