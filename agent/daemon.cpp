#include "agent/daemon.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/eventfd.h>
#include <thread>

#include "agent/server.hpp"
#include "common/file_descriptor.hpp"
#include "common/net/clock.hpp"
#include "common/net/entropy.hpp"
#include "common/net/notify.hpp"
#include "common/net/signals.hpp"
#include "common/paths.hpp"

namespace muster {
namespace {

// From SIGTERM to SIGKILL for what an earlier life left behind.
constexpr Duration leftover_grace = 3s;
// For the library's thread to hand the goodbye to the kernel.
constexpr Duration goodbye_wait = 50ms;

BootId boot_id() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string text;
    std::getline(file, text);
    return parse_id<BootId>(text).value_or(BootId{});
}

/// What a life of an agent begins with, each after the one before.
struct Beginning {
    StateDirectory state;
    AgentMemory memory;
    std::string local_endpoint;
};

Result<Beginning> begin(const AgentSettings& settings) {
    const auto directories = paths::directories(settings.state_dir, settings.run_dir);
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
    return Beginning{std::move(*state), *memory, std::move(*endpoint)};
}

void run_until_told(net::Loop& loop, AgentServer& server, net::Signals& signals) {
    int told = 0;
    loop.watch(signals.fd(), [&](Instant now) {
        while (const auto number = signals.take()) {
            log::info("stopping", {{"signal", *number}});
            if (++told == 1) {
                net::notify_systemd("STOPPING=1");
                server.shut_down(now);
            }
        }
    });
    const auto watchdog = net::watchdog_interval();
    Instant watchdog_due = net::boottime_now();
    while (!server.finished() && told < 2) {
        const Instant now = server.turn(watchdog ? watchdog_due : Instant::max());
        if (watchdog && now >= watchdog_due) {
            net::notify_systemd("WATCHDOG=1");
            watchdog_due = now + *watchdog;
        }
    }
    const Instant end = net::boottime_now() + goodbye_wait;
    while (server.turn(end) < end) {
    }
    loop.forget(signals.fd());
}

/// Ends what an earlier life left running, which takes its grace: on a thread of its own, while who
/// asks by hand is answered.
Result<void> end_leftovers(Executor& executor, AgentServer& server) {
    const FileDescriptor over{eventfd(0, EFD_CLOEXEC)};
    if (!over.is_open()) {
        return fail(Errc::io, std::string{"no eventfd can be made: "} + std::strerror(errno));
    }
    Result<std::size_t> ended = 0;
    std::thread worker{[&] {
        ended = executor.end_leftovers(leftover_grace);
        eventfd_write(over.get(), 1);
    }};
    server.answer_until_readable(over.get());
    worker.join();
    if (!ended) {
        return tl::unexpected{ended.error()};
    }
    if (*ended > 0) {
        log::warn("processes of an earlier life ended", {{"processes", *ended}});
    }
    return {};
}

Result<void> live(const AgentSettings& settings, Beginning& beginning, Executor& executor,
                  LifeId life, net::Signals& signals) {
    const AgentOptions options{.name = settings.name,
                               .life = life,
                               .boot = boot_id(),
                               .version = settings.version,
                               .seed = net::random_bits()[0],
                               .offer = settings.offer,
                               .check = settings.check};
    net::Context context;
    net::Loop loop;
    AgentServer server{context,  loop,    settings,        beginning.state,
                       executor, options, beginning.memory};
    if (auto opened = server.open(beginning.local_endpoint); !opened) {
        return opened;
    }
    if (auto ended = end_leftovers(executor, server); !ended) {
        return ended;
    }
    if (auto connected = server.connect(); !connected) {
        return connected;
    }
    log::info("agent runs", {{"name", settings.name},
                             {"incarnation", raw(beginning.memory.incarnation)},
                             {"coordinator", settings.coordinator},
                             {"state", beginning.state.path()},
                             {"endpoint", beginning.local_endpoint}});
    net::notify_systemd("READY=1");
    run_until_told(loop, server, signals);
    log::info("agent ended");
    return {};
}

}  // namespace

Result<void> run_agent(const AgentSettings& settings) {
    log::set_level(settings.log_level);
    // Before any thread: all of them inherit the mask. A log whose reader went away ends nothing,
    // nor does the terminal.
    net::Signals signals{SIGTERM, SIGINT};
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
    if (auto fit = net::check_library(); !fit) {
        return fit;
    }
    auto beginning = begin(settings);
    if (!beginning) {
        return tl::unexpected{beginning.error()};
    }
    const auto life = net::random_id<LifeId>();
    const std::string home = paths::environment_of_process().home;
    Executor executor{{.node = settings.name,
                       .state = beginning->state.path(),
                       .home_directory = home.empty() ? "/" : home,
                       .life = life}};
    if (auto opened = executor.open(); !opened) {
        return opened;
    }
    return live(settings, *beginning, executor, life, signals);
}

}  // namespace muster
