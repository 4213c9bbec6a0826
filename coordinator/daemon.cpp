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
#include "coordinator/host/file_limit.hpp"
#include "coordinator/providers/local_process.hpp"
#include "coordinator/server.hpp"
#include "coordinator/store/file_election.hpp"

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

/// What the process found on its host.
struct Found {
    Server::Bindings wanted;
    Security security;
    OutsideOptions outside;
    ClusterId cluster;  ///< Of the keys; without keys, of a new store.
    bool has_keys = false;
    std::string state;
};

CoordinatorOptions core_options(const Options& options, const Found& found) {
    CoordinatorOptions core = options.core;
    core.keys = found.security.keys.has_value() && net::ipc_path(found.wanted.agents).empty();
    core.order_key = found.security.orders;
    return core;
}

/// Stands by and leads, in turn.
class Daemon {
public:
    Daemon(const Options& options, Found found, net::Signals& signals, BeginEtcdElection etcd)
        : options_{options},
          found_{std::move(found)},
          signals_{signals},
          etcd_{etcd},
          server_{context_,
                  loop_,
                  core_options(options_, found_),
                  record_options(options_),
                  found_.security,
                  found_.outside} {
        loop_.watch(signals_.fd(), [this](Instant) {
            while (const auto number = signals_.take()) {
                log::info("stopping", {{"signal", *number}});
                is_signalled_ = true;
            }
        });
    }
    ~Daemon() { loop_.forget(signals_.fd()); }
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    /// Until a signal arrives.
    [[nodiscard]] Result<void> run();

private:
    [[nodiscard]] bool has_etcd() const { return !options_.etcd.endpoints.empty(); }
    [[nodiscard]] Result<std::unique_ptr<Election>> begin_election();
    [[nodiscard]] Result<std::string> take_part(Election& election);
    [[nodiscard]] Result<std::optional<Lead>> wait_to_lead(Election& election);
    [[nodiscard]] Result<void> lead(Election& election, const Lead& with);
    [[nodiscard]] Result<void> listen();
    void stand(Election& election);
    /// To the init system.
    void show(const std::string& status);
    void turn(Instant deadline);

    const Options& options_;
    Found found_;
    net::Signals& signals_;
    BeginEtcdElection etcd_;
    net::Context context_{{.io_threads = io_threads()}};
    net::Loop loop_;
    Server server_;
    std::optional<Server::Bindings> bound_;
    std::optional<OwnState> announced_;  // What the election was told last.
    Instant next_turn_to_lead_{};        // Others come first until then.
    std::optional<Duration> watchdog_ = net::watchdog_interval();
    Instant watchdog_due_ = net::boottime_now();
    std::string status_;  // As the init system knows it; empty: it waits.
    bool is_signalled_ = false;
};

Result<std::unique_ptr<Election>> Daemon::begin_election() {
    const auto self = net::random_id<LeaderId>();
    if (has_etcd()) {
        return etcd_(options_.etcd,
                     {.cluster = found_.cluster,
                      .self = self,
                      .name = host_name(),
                      .version = options_.core.version,
                      .key = found_.security.keys ? fingerprint(found_.security.keys->open) : "",
                      .is_cluster_known = found_.has_keys});
    }
    return FileElection::begin(found_.state, found_.cluster,
                               {.id = self, .name = host_name(), .version = options_.core.version})
        .map([](std::unique_ptr<FileElection>&& election) {
            return std::unique_ptr<Election>{std::move(election)};
        });
}

Result<void> Daemon::run() {
    while (true) {
        auto election = begin_election();
        if (!election) {
            return tl::unexpected{election.error()};
        }
        const auto over = take_part(**election);
        if (!over || is_signalled_) {
            if (!status_.empty()) {
                net::notify_systemd("STOPPING=1");
            }
            server_.stop();
            return over.map([](const auto&) {});
        }
        log::warn("leadership is over", {{"reason", *over}});
        if (!has_etcd()) {
            server_.stop();
            return fail(Errc::not_leader, *over);
        }
        next_turn_to_lead_ = net::boottime_now() + options_.etcd.lease;
    }
}

/// Why a leadership is over, or could not begin; or the error, why there can be none.
Result<std::string> Daemon::take_part(Election& election) {
    announced_.reset();
    server_.take_part(&election);
    loop_.watch(election.fd(), [](Instant) {});
    std::string why;
    auto with = wait_to_lead(election);
    auto done = with && *with ? lead(election, **with) : Result<void>{};
    if (with && *with) {
        why = election.over().value_or(server_.resigned().value_or(""));
        server_.stand_by();
        with->reset();  // Writes what is left, before another may lead.
        election.resign();
    }
    loop_.forget(election.fd());
    server_.take_part(nullptr);
    if (!with && with.error().code == Errc::unreachable) {
        return with.error().detail;
    }
    if (!with) {
        return tl::unexpected{with.error()};
    }
    return done.map([&] { return why; });
}

void Daemon::turn(Instant deadline) {
    if (watchdog_) {
        deadline = std::min(deadline, watchdog_due_);
    }
    const Instant now = bound_ ? server_.turn(deadline) : loop_.turn(deadline);
    if (watchdog_ && now >= watchdog_due_) {
        net::notify_systemd("WATCHDOG=1");
        watchdog_due_ = now + *watchdog_;
    }
}

/// Waits until this coordinator leads. Nothing: a signal arrived first.
Result<std::optional<Lead>> Daemon::wait_to_lead(Election& election) {
    constexpr Duration interval = 250ms;
    LeaderSign leader;
    while (!is_signalled_) {
        auto lead = election.take_lead();
        if (!lead || *lead) {
            return lead;
        }
        if (status_.empty() && has_etcd()) {
            show("waiting for the store");
        }
        if (const auto image = election.follow()) {
            server_.follow(*image);
            if (auto listening = listen(); !listening) {
                return tl::unexpected{listening.error()};
            }
        }
        if (const LeaderSign now = election.leader(); now != leader) {
            leader = now;
            server_.show_leader();
            log::info(leader.name.empty() ? "no coordinator leads"
                                          : "standing by until no other coordinator leads",
                      {{"leader", leader.name}, {"operators", leader.operators}});
            show("standing by");
        }
        if (!leader.name.empty() || net::boottime_now() >= next_turn_to_lead_) {
            stand(election);
        }
        turn(net::boottime_now() + interval);
    }
    return std::optional<Lead>{};
}

void Daemon::stand(Election& election) {
    if (const OwnState own = server_.own_state(); bound_ && announced_ != own) {
        announced_ = own;
        election.stand(own);
    }
}

void Daemon::show(const std::string& status) {
    if (status_.empty()) {
        net::notify_systemd("READY=1");
    }
    if (status != status_ && (has_etcd() || !status_.empty())) {
        net::notify_systemd("STATUS=" + status);
    }
    status_ = status;
}

Result<void> Daemon::listen() {
    if (bound_) {
        return {};
    }
    return server_.listen(found_.wanted).map([&](const Server::Bindings& bound) {
        bound_ = bound;
        if (found_.security.is_insecure) {
            log::warn("listening without keys: every process of this host may command the cluster");
        }
        log::info("listening", {{"agents", bound.agents},
                                {"operators", bound.operators},
                                {"operators_ipc", bound.operators_ipc},
                                {"events", bound.events},
                                {"enrolment", bound.enrolment},
                                {"http", bound.http}});
    });
}

/// Leads until a signal arrives, or until this coordinator may not lead any more.
Result<void> Daemon::lead(Election& election, const Lead& with) {
    const StoreImage& image = with.image;
    if (auto listening = listen(); !listening) {
        return listening;
    }
    server_.lead(*with.store, image);
    log::info("leading", {{"cluster", to_string(image.meta.cluster)},
                          {"epoch", raw(image.meta.epoch)},
                          {"tasks", image.tasks.size()},
                          {"nodes", image.nodes.size()},
                          {"files", file_use().limit},
                          {"agents", bound_->agents},
                          {"operators", bound_->operators},
                          {"operators_ipc", bound_->operators_ipc},
                          {"events", bound_->events},
                          {"enrolment", bound_->enrolment},
                          {"http", bound_->http}});
    // Whoever starts it, and is told that it is ready, may use the key of `muster init`.
    const Instant latest = net::boottime_now() + 1s;
    while (server_.awaits_first_admin() && net::boottime_now() < latest) {
        turn(latest);
    }
    show("leading");
    while (!is_signalled_ && !server_.resigned() && !election.over()) {
        stand(election);
        turn(election.leads_until());
    }
    return {};
}

}  // namespace

Result<void> run_coordinator(const Options& options, BeginEtcdElection etcd) {
    log::set_level(options.log_level);
    // Before any thread starts, so that all inherit the mask. A log whose reader closed its end
    // must not end the process.
    net::Signals signals{SIGTERM, SIGINT};
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // A file size limit fails the write, not the process.
    // A process that ignores it, perhaps as its parent did, never learns how its programs end.
    std::signal(SIGCHLD, SIG_DFL);
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
    Found found{.wanted = {},
                .security = {},
                .outside = options.outside,
                .cluster = {},
                .has_keys = keys->has_value(),
                .state = state};
    found.cluster = *keys ? (*keys)->secret.cluster : net::random_id<ClusterId>();
    auto ready = security_of(options, *keys).and_then([&](const Security& security) {
        found.security = security;
        return bindings(options, directories).map([&](const Server::Bindings& wanted) {
            found.wanted = wanted;
        });
    });
    ready = ready.and_then([&] {
        return find_local_programs(found.outside,
                                   {state, found.wanted.agents, found.wanted.operators_ipc});
    });
    if (!ready) {
        return ready;
    }
    if (!*keys) {
        found.wanted.enrolment.clear();
    }
    return Daemon{options, std::move(found), signals, etcd}.run();
}

}  // namespace muster::coordinator
