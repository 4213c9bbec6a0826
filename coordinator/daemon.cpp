#include "coordinator/daemon.hpp"

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

#include "common/base/paths.hpp"
#include "common/base/process.hpp"
#include "common/crypto/cluster_keys.hpp"
#include "common/log/log.hpp"
#include "common/net/context.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"
#include "common/net/host/notify.hpp"
#include "common/net/host/signals.hpp"
#include "coordinator/file_limit.hpp"
#include "coordinator/server.hpp"
#include "coordinator/store/sqlite_store.hpp"
#include "coordinator/store/store_file.hpp"

namespace muster::coordinator {
namespace {

// A second I/O thread gains nothing on two cores.
int io_threads() { return std::thread::hardware_concurrency() >= 4 ? 2 : 1; }

Result<Server::Bindings> bindings(const Options& options, const paths::Directories& directories) {
    const Endpoints at = completed(options.endpoints);
    return paths::make_private_directory(directories.run)
        .and_then([&] { return paths::ipc_endpoint(paths::operators_socket(directories)); })
        .map([&](const std::string& ipc) {
            return Server::Bindings{at.agents, at.operators, ipc, at.events, at.http, at.enrolment};
        });
}

std::optional<RecordOptions> record_options(const Options& options) {
    if (options.record.empty()) {
        return std::nullopt;
    }
    return RecordOptions{.directory = options.record,
                         .most_bytes = std::uint64_t{options.record_mib} << 20U,
                         .version = options.core.version};
}

void run_until_signalled(net::Loop& loop, Server& server, net::Signals& signals) {
    bool has_reported = false;
    loop.watch(signals.fd(), [&](Instant) {
        while (const auto number = signals.take()) {
            log::info("stopping", {{"signal", *number}});
            has_reported = true;
        }
    });
    const auto watchdog = net::watchdog_interval();
    Instant watchdog_due = net::boottime_now();
    while (!has_reported && !server.resigned()) {
        const Instant now = server.turn(watchdog ? watchdog_due : Instant::max());
        if (watchdog && now >= watchdog_due) {
            net::notify_systemd("WATCHDOG=1");
            watchdog_due = now + *watchdog;
        }
    }
}

/// What the keys of this directory and the options mean for the sockets. `keys` without a value:
/// none were made.
Result<Security> security_of(const Options& options, const std::optional<ClusterKeys>& keys) {
    if (keys) {
        return Security{.keys = keys->coordinator,
                        .is_insecure = false,
                        .first_admin = keys->first_admin,
                        .orders = keys->secret.orders,
                        .advertise = options.endpoints.advertise};
    }
    if (!options.insecure_loopback) {
        return fail(Errc::refused,
                    "there are no keys, so nobody could be told from a stranger: 'muster init' "
                    "makes them; --insecure-loopback listens without keys to the processes of "
                    "this host");
    }
    return Security{
        .keys = {}, .is_insecure = true, .first_admin = {}, .orders = {}, .advertise = {}};
}

struct Leading {
    const Options& options;
    Server::Bindings wanted;
    Security security;
};

Result<void> lead(const Leading& leading, Store& store, const StoreImage& image,
                  net::Signals& signals) {
    const Options& options = leading.options;
    net::Context context{{.io_threads = io_threads()}};
    net::Loop loop;
    CoordinatorOptions core = options.core;
    core.keys = leading.security.keys.has_value() && net::ipc_path(leading.wanted.agents).empty();
    core.order_key = leading.security.orders;
    Server server{context, loop, store, core, image, record_options(options), leading.security};
    const auto bound = server.listen(leading.wanted);
    if (!bound) {
        return tl::unexpected{bound.error()};
    }
    if (leading.security.is_insecure) {
        log::warn("listening without keys: every process of this host may command the cluster");
    }
    log::info("leading", {{"cluster", to_string(image.meta.cluster)},
                          {"epoch", raw(image.meta.epoch)},
                          {"tasks", image.tasks.size()},
                          {"nodes", image.nodes.size()},
                          {"files", file_use().limit},
                          {"agents", bound->agents},
                          {"operators", bound->operators},
                          {"operators_ipc", bound->operators_ipc},
                          {"events", bound->events},
                          {"enrolment", bound->enrolment},
                          {"http", bound->http}});
    net::notify_systemd("READY=1");
    run_until_signalled(loop, server, signals);
    net::notify_systemd("STOPPING=1");
    server.stop();
    if (server.resigned()) {
        return fail(Errc::not_leader, *server.resigned());
    }
    return {};
}

}  // namespace

Result<void> run_coordinator(const Options& options) {
    log::set_level(options.log_level);
    // Before any thread starts, so that all inherit the mask. A log whose reader closed its end
    // must not end the process.
    net::Signals signals{SIGTERM, SIGINT};
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // A file size limit fails the write, not the process.
    if (auto fit = net::check_library(); !fit) {
        return fit;
    }
    if (auto raised = raise_file_limit(options.agents); !raised) {
        return raised;
    }
    const auto directories = paths::directories(options.state_dir, options.run_dir);
    const std::string state = paths::coordinator_state(directories);
    const auto keys = read_cluster_keys(state);
    if (!keys) {
        return tl::unexpected{keys.error()};
    }
    if (*keys) {
        keep_memory_private();
    }
    Leading leading{.options = options, .wanted = {}, .security = {}};
    auto ready = security_of(options, *keys).and_then([&](const Security& found) {
        leading.security = found;
        return bindings(options, directories).map([&](const Server::Bindings& wanted) {
            leading.wanted = wanted;
        });
    });
    if (!ready) {
        return ready;
    }
    if (!*keys) {
        leading.wanted.enrolment.clear();
    }
    const auto file = state + "/store.sqlite";
    const bool was_empty = is_empty_file(file);
    const auto if_new = *keys ? (*keys)->secret.cluster : net::random_id<ClusterId>();
    return SqliteStore::open(file, if_new).and_then([&](const std::unique_ptr<SqliteStore>& store) {
        if (was_empty) {
            log::warn(
                "the store was an empty file, so a new cluster begins; if it held "
                "one, stop and restore a backup",
                {{"file", file}, {"cluster", to_string(if_new)}});
        }
        return store->begin_leadership(net::random_id<LeaderId>())
            .and_then(
                [&](const StoreImage& image) { return lead(leading, *store, image, signals); });
    });
}

}  // namespace muster::coordinator
