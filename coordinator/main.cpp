#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "common/base/file_descriptor.hpp"
#include "common/base/process.hpp"
#include "common/log/daemon_main.hpp"
#include "common/net/endpoint.hpp"
#include "coordinator/daemon.hpp"
#include "coordinator/options.hpp"
#include "coordinator/store_command.hpp"
#ifdef MUSTER_WITH_ETCD
#include "coordinator/begin_etcd_election.hpp"
#endif

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
         {"--advertise", &into.advertise, "Names or addresses of all coordinators for others"},
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

#ifdef MUSTER_WITH_ETCD
constexpr bool has_etcd = true;
constexpr muster::coordinator::BeginEtcdElection etcd = muster::coordinator::etcd::begin_election;
constexpr muster::coordinator::OpenEtcdStore etcd_store = muster::coordinator::etcd::open_store;
#else
constexpr bool has_etcd = false;
constexpr muster::coordinator::BeginEtcdElection etcd = nullptr;
constexpr muster::coordinator::OpenEtcdStore etcd_store = nullptr;
#endif

/// Goes on as the program that is linked with gRPC. Returns only if that is not possible.
std::string run_with_etcd(char** argv) {
    const std::string path = muster::program_of_muster("muster-coordinator-etcd");
    if (path.empty()) {
        return "the store is in etcd, but muster-coordinator-etcd, which can use it, is not beside "
               "this program nor in ../libexec/muster: install the package muster-etcd";
    }
    execv(path.c_str(), argv);
    return path + " cannot be run: " + std::strerror(errno);
}

/// `muster-coordinator store ...`, of which `store` is the name here.
int run_store_tool(int argc, char** argv) {
    constexpr Program tool{"muster-coordinator store", MUSTER_VERSION,
                           "Exports, imports, checks, moves or backs up the whole store."};
    constexpr int faults_found = 3;
    muster::coordinator::StoreCommand command;
    std::string config;
    std::string state_dir;
    const auto status = read_command_line(
        argc - 1, argv + 1, tool,
        {{"what", &command.what, "export, import, check, migrate or backup"},
         {"file", &command.file, "The file to write or to read"},
         {"--config", &config, "Configuration of the coordinator (TOML); none is needed"},
         {"--state-dir", &state_dir, "Where the wanted state is kept"},
         {"--to", &command.to, "Where migrate moves the store: etcd or sqlite"},
         {"--dry-run", nullptr, "Only say what would be written", &command.is_dry}});
    if (status) {
        return *status;
    }
    if (const auto usage = check_usage(command); !usage) {
        return end_with(exit_usage, tool.name, usage.error().detail);
    }
    const auto text = configuration(config);
    if (!text) {
        return end_with(exit_error, tool.name, text.error().detail);
    }
    auto options = muster::coordinator::options_from_toml(*text, config);
    if (!options) {
        return end_with(exit_error, tool.name, options.error().detail);
    }
    override_with(state_dir, options->state_dir);
    if (!has_etcd && !options->etcd.endpoints.empty()) {
        return end_with(exit_error, tool.name, run_with_etcd(argv));
    }
    const auto done = run_store_command(*options, command, etcd_store);
    if (!done) {
        return end_with(muster::coordinator::exit_status_of(done.error().code), tool.name,
                        done.error().detail);
    }
    if (const int error = muster::write_all(STDOUT_FILENO, done->text); error != 0) {
        return end_with(exit_error, tool.name,
                        std::string{"the output cannot be written: "} + std::strerror(error));
    }
    return done->is_faulty ? faults_found : 0;
}

}  // namespace

int main(int argc, char** argv) {
    muster::hold_standard_files();
    muster::keep_freed_memory();
    if (argc > 1 && std::string_view{argv[1]} == "store") {
        return run_store_tool(argc, argv);
    }
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
    if (!has_etcd && !options->etcd.endpoints.empty()) {
        return end_with(exit_error, program.name, run_with_etcd(argv));
    }
    if (const auto run = muster::coordinator::run_coordinator(*options, etcd); !run) {
        return end_with(exit_error, program.name, run.error().detail);
    }
    return 0;
}
