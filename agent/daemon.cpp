#include "agent/daemon.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/policy/policy_file.hpp"
#include "agent/server.hpp"
#include "agent/storage/journal_file.hpp"
#include "agent/storage/state_directory.hpp"
#include "agent/worker.hpp"
#include "common/base/paths.hpp"
#include "common/base/process.hpp"
#include "common/net/context.hpp"
#include "common/net/dealer.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"
#include "common/net/host/notify.hpp"
#include "common/net/host/signals.hpp"
#include "common/net/loop.hpp"

namespace muster::agent {
namespace {

// How long shims of earlier lives may take to send their state. A stopped one never does.
constexpr Duration patience_with_shims = 2s;
// How long an agent may take to answer a local request.
constexpr Duration patience_with_agent = 5s;
// Time for the library's thread to pass the departure message to the kernel.
constexpr Duration departure_wait = 50ms;

BootId boot_id() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string text;
    std::getline(file, text);
    return parse_id<BootId>(text).value_or(BootId{});
}

/// The resources of one life of an agent. Each is opened after the one before it.
struct StartupResources {
    paths::Directories directories;
    std::string local_endpoint;
    StateDirectory state;
    JournalFile journal;
    AgentMemory memory;
};

Result<StartupResources> open_resources(const AgentSettings& settings) {
    auto directories = paths::directories(settings.state_dir, settings.run_dir);
    auto endpoint = paths::ipc_endpoint(paths::agent_socket(directories, settings.name));
    if (!endpoint) {
        return tl::unexpected{endpoint.error()};
    }
    for (const auto& directory : {directories.run, directories.run + "/agents"}) {
        if (auto made = paths::make_private_directory(directory); !made) {
            return tl::unexpected{made.error()};
        }
    }
    auto state = StateDirectory::open(paths::agent_state(directories, settings.name));
    if (!state) {
        return tl::unexpected{state.error()};
    }
    auto memory = state->read_memory();
    if (!memory) {
        return tl::unexpected{memory.error()};
    }
    memory->incarnation = next(memory->incarnation);
    if (auto written = state->write_memory(*memory); !written) {
        return tl::unexpected{written.error()};
    }
    auto journal = JournalFile::open(state->path() + "/journal", boot_id());
    if (!journal) {
        return tl::unexpected{journal.error()};
    }
    return StartupResources{std::move(directories), std::move(*endpoint), std::move(*state),
                            std::move(*journal), *memory};
}

LauncherOptions launcher_options(const AgentSettings& settings, const StartupResources& resources,
                                 std::string shim, std::optional<Policy> policy) {
    const std::string home = paths::environment_of_process().home;
    const bool as_root = paths::environment_of_process().user_id == 0;
    return {.node = settings.name,
            .offer = settings.offer,
            .state = resources.state.path(),
            .sockets = paths::agent_shims(resources.directories, settings.name),
            .shim = std::move(shim),
            .home_directory = home.empty() ? "/" : home,
            .secrets = settings.secrets_dir.empty()
                           ? paths::default_secrets(resources.directories, as_root)
                           : settings.secrets_dir,
            .secrets_place = paths::agent_secrets(resources.directories, settings.name, as_root),
            .policy = std::move(policy),
            .passed = {resources.directories.state, resources.directories.state + "/agents",
                       resources.state.path(), resources.directories.run + "-secrets"}};
}

void run_until_signalled(net::Loop& loop, AgentServer& server, net::Signals& signals) {
    int signalled = 0;
    loop.watch(signals.fd(), [&](Instant now) {
        while (const auto number = signals.take()) {
            log::info("leaving; instances keep running", {{"signal", *number}});
            if (++signalled == 1) {
                net::notify_systemd("STOPPING=1");
                server.leave(now);
            }
        }
    });
    const auto watchdog = net::watchdog_interval();
    Instant watchdog_due = net::boottime_now();
    while (!server.finished() && signalled < 2) {
        const Instant now = server.turn(watchdog ? watchdog_due : Instant::max());
        if (watchdog && now >= watchdog_due) {
            net::notify_systemd("WATCHDOG=1");
            watchdog_due = now + *watchdog;
        }
    }
    const Instant end = net::boottime_now() + departure_wait;
    while (server.turn(end) < end) {
    }
    loop.forget(signals.fd());
}

/// One life of an agent, from its resources to its server.
class Life {
public:
    [[nodiscard]] static Result<std::unique_ptr<Life>> begin(const AgentSettings& settings,
                                                             std::optional<Policy> policy) {
        auto shim = shim_of_this_program();
        if (!shim) {
            return tl::unexpected{shim.error()};
        }
        auto resources = open_resources(settings);
        if (!resources) {
            return tl::unexpected{resources.error()};
        }
        std::unique_ptr<Life> life{
            new Life{settings, std::move(*resources), std::move(*shim), std::move(policy)}};
        if (auto opened = life->executor_.open(); !opened) {
            return tl::unexpected{opened.error()};
        }
        life->adopt();
        return life;
    }

    [[nodiscard]] net::Loop& loop() { return loop_; }
    [[nodiscard]] AgentServer& server() { return *server_; }
    [[nodiscard]] const StartupResources& resources() const { return resources_; }

private:
    Life(const AgentSettings& settings, StartupResources resources, std::string shim,
         std::optional<Policy> policy)
        : settings_{settings},
          resources_{std::move(resources)},
          executor_{launcher_options(settings, resources_, std::move(shim), std::move(policy))} {}

    void adopt() {
        const JournalImage& journal = resources_.journal.image();
        const RecoveredState recovered{
            .memory = resources_.memory,
            .journal = journal,
            .found = executor_.adopt(net::boottime_now(), journal, patience_with_shims),
            .last_left = executor_.last_left(),
            .is_rebooted = resources_.journal.is_rebooted()};
        const AgentOptions options{
            .name = settings_.name,
            .life = net::random_id<LifeId>(),
            .boot = boot_id(),
            .version = settings_.version,
            .seed = net::random_bits()[0],
            .offer = settings_.offer,
            .check = settings_.check,
            .limits = executor_.limits(),
            .capacity_from = settings_.capacity_from,
            .floors = settings_.floors,
            .made_key = settings_.made_key ? to_string(settings_.made_key->open) : "",
            .seal_key = to_string(executor_.vault().key())};
        disk_.emplace(resources_.state, resources_.journal);
        readings_.emplace(resources_.state.path() + "/logs");
        server_.emplace(context_, loop_, settings_, *disk_, *readings_, executor_, options,
                        recovered);
    }

    const AgentSettings& settings_;
    StartupResources resources_;
    Executor executor_;
    net::Context context_;
    net::Loop loop_;
    std::optional<Disk> disk_;
    std::optional<Readings> readings_;
    std::optional<AgentServer> server_;
};

// Asks the running agent of this name.
Result<void> ask_to_stop_all(const std::string& socket) {
    net::Context context;
    net::Loop loop;
    net::Dealer dealer{context, net::tool_dealer()};
    bool is_answered = false;
    loop.watch(dealer, [&](Instant) {
        net::Message message;
        is_answered = dealer.receive(message) == net::Receipt::message || is_answered;
        return false;
    });
    const auto endpoint = paths::ipc_endpoint(socket);
    if (!endpoint) {
        return tl::unexpected{endpoint.error()};
    }
    if (auto connected = dealer.connect(*endpoint); !connected) {
        return connected;
    }
    const Instant end = net::boottime_now() + patience_with_agent;
    const bool is_sent = dealer.send({"stop-all"}) == net::SendResult::sent;
    while (is_sent && !is_answered && net::boottime_now() < end) {
        loop.turn(end);
    }
    if (!is_answered) {
        return fail(Errc::unreachable,
                    "an agent holds this state directory, and does not answer at " + socket +
                        ": end it, then try again");
    }
    return {};
}

// For a mistyped name the answer must not be "ended", and nothing may be created.
Result<void> check_agent_was_here(const paths::Directories& directories, const std::string& name) {
    const std::string state = paths::agent_state(directories, name);
    const std::string shims = paths::agent_shims(directories, name);
    std::error_code hidden;
    if (!std::filesystem::exists(state, hidden) && !std::filesystem::exists(shims, hidden)) {
        return fail(Errc::not_found,
                    "no agent '" + name + "' has run here: there is neither " + state + " nor " +
                        shims +
                        "; give the same --name, --state-dir and --run-dir as to the agent");
    }
    return {};
}

Result<void> prepare(const AgentSettings& settings) {
    log::set_level(settings.log_level);
    // A log reader or a terminal that goes away must not end the agent.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // At a file size limit the write fails instead.
    std::signal(SIGHUP, SIG_IGN);
    return net::check_library();
}

}  // namespace

Result<void> run_agent(const AgentSettings& settings) {
    // Before any thread starts, because threads inherit the mask.
    net::Signals signals{SIGTERM, SIGINT};
    if (auto fit = prepare(settings); !fit) {
        return fit;
    }
    if (settings.keys) {
        keep_memory_private();
    }
    auto policy = read_policy(settings.policy);
    if (!policy) {
        return tl::unexpected{policy.error()};
    }
    const auto life = Life::begin(settings, std::move(*policy));
    if (!life) {
        return tl::unexpected{life.error()};
    }
    AgentServer& server = (*life)->server();
    const StartupResources& resources = (*life)->resources();
    const auto connect = [&] { return server.connect(); };
    if (auto ready = server.open(resources.local_endpoint).and_then(connect); !ready) {
        return ready;
    }
    log::info("agent runs", {{"name", settings.name},
                             {"incarnation", raw(resources.memory.incarnation)},
                             {"coordinator", settings.coordinator},
                             {"adopted", server.instances()},
                             {"state", resources.state.path()},
                             {"endpoint", resources.local_endpoint}});
    net::notify_systemd("READY=1");
    run_until_signalled((*life)->loop(), server, signals);
    log::info("agent ended");
    return {};
}

Result<void> stop_all(const AgentSettings& settings) {
    if (auto fit = prepare(settings); !fit) {
        return fit;
    }
    const auto directories = paths::directories(settings.state_dir, settings.run_dir);
    if (auto known = check_agent_was_here(directories, settings.name); !known) {
        return known;
    }
    auto life = Life::begin(settings, std::nullopt);  // It starts nothing, so no policy matters.
    if (!life && life.error().code == Errc::refused) {
        return ask_to_stop_all(paths::agent_socket(directories, settings.name)).map([&] {
            StateDirectory::await_release(paths::agent_state(directories, settings.name));
        });
    }
    if (!life) {
        return tl::unexpected{life.error()};
    }
    AgentServer& server = (*life)->server();
    server.shut_down(net::boottime_now());
    while (!server.finished()) {
        server.turn(Instant::max());
    }
    return {};
}

}  // namespace muster::agent
