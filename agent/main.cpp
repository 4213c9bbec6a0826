#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/daemon.hpp"
#include "agent/exec/cgroups/cgroups.hpp"
#include "agent/join.hpp"
#include "agent/options.hpp"
#include "common/base/process.hpp"
#include "common/log/daemon_main.hpp"

namespace {

using namespace muster::daemon_main;

constexpr Program program{
    "muster-agent", MUSTER_VERSION,
    "Runs tasks on this host for its coordinator. Tasks keep running when it ends.\n"
    "To join a cluster: muster-agent join TOKEN [OPTIONS]\n"
    "To end the tasks and the agent: muster-agent stop-all [the same OPTIONS]"};
constexpr std::string_view join_verb = "join";
constexpr std::string_view stop_all_verb = "stop-all";
// For the systemd unit: see take_back_controllers().
constexpr std::string_view make_room_verb = "make-room";

/// Options that override the configuration. Empty: not given.
struct Arguments {
    std::string config;
    std::string name;
    std::string coordinator;
    std::string state_dir;
    std::string run_dir;
    std::string policy;
    std::string log_level;
    bool only_join = false;
};

std::optional<int> read_into(Arguments& into, int argc, char** argv) {
    return read_command_line(
        argc, argv, program,
        {{"--config", &into.config, "Configuration file (TOML); none is needed"},
         {"--name", &into.name, "Name of this node (the host's name)"},
         {"--coordinator", &into.coordinator, "Endpoint of the coordinator (tcp://127.0.0.1:7700)"},
         {"--state-dir", &into.state_dir, "Where memory, logs and work are kept"},
         {"--run-dir", &into.run_dir, "Where the agent's ipc socket is made"},
         {"--policy", &into.policy, "What tasks may do on this host (/etc/muster/policy.toml)"},
         {"--log-level", &into.log_level, "trace, debug, info, warn or error"},
         {"--only-join", nullptr, "With join: end once the host has joined", &into.only_join}});
}

/// Applies the command line over the configuration file.
muster::Result<muster::agent::AgentSettings> overridden(muster::agent::AgentSettings settings,
                                                        const Arguments& arguments) {
    if (auto taken = override_with(arguments.log_level, settings.log_level); !taken) {
        return tl::unexpected{taken.error()};
    }
    override_with(arguments.name, settings.name);
    override_with(arguments.coordinator, settings.coordinator);
    override_with(arguments.state_dir, settings.state_dir);
    override_with(arguments.run_dir, settings.run_dir);
    override_with(arguments.policy, settings.policy);
    settings.version = MUSTER_VERSION;
    return muster::agent::completed(std::move(settings));
}

}  // namespace

int main(int argc, char** argv) {
    muster::hold_standard_files();
    if (argc == 2 && std::string_view{argv[1]} == make_room_verb) {
        muster::agent::take_back_controllers(muster::agent::cgroup_trees_of_process());
        return 0;
    }
    const bool stops_all = argc > 1 && std::string_view{argv[1]} == stop_all_verb;
    const bool joins = argc > 1 && std::string_view{argv[1]} == join_verb;
    if (joins) {
        muster::keep_memory_private();  // For the token and the new key.
    }
    std::string token_text;
    if (joins && argc > 2 && argv[2][0] != '-') {
        token_text = argv[2];
    }
    for (const bool is_taken : {stops_all || joins, !token_text.empty()}) {
        if (is_taken) {
            std::rotate(argv + 1, argv + 2, argv + argc);
            --argc;
        }
    }
    Arguments arguments;
    if (const auto status = read_into(arguments, argc, argv)) {
        return *status;
    }
    auto configured = configuration(arguments.config).and_then([&](const std::string& text) {
        return muster::agent::agent_settings_from_toml(text, arguments.config);
    });
    if (!configured) {
        return end_with(exit_error, program.name, configured.error().detail);
    }
    const auto token = joins ? muster::parse_join_token(token_text)
                             : muster::Result<muster::JoinToken>{muster::JoinToken{}};
    if (!token) {
        return end_with(exit_usage, program.name, token.error().detail);
    }
    if (arguments.name.empty() && configured->name.empty()) {
        arguments.name = token->name;
    }
    auto settings = overridden(std::move(*configured), arguments);
    if (!settings) {
        return end_with(exit_usage, program.name, settings.error().detail);
    }
    auto run = joins ? muster::agent::join(*settings, *token) : muster::Result<void>{};
    if (stops_all) {
        run = muster::agent::stop_all(*settings);
    } else if (run && !arguments.only_join) {
        settings = muster::agent::with_keys(std::move(*settings));
        run = settings.and_then([&](const muster::agent::AgentSettings& ready) {
            return muster::agent::run_agent(ready);
        });
    }
    if (!run) {
        return end_with(exit_error, program.name, run.error().detail);
    }
    if (stops_all) {
        std::cout << "agent '" << settings->name << "' and all its instances have ended\n";
    }
    return 0;
}
