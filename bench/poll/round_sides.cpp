#include "bench/poll/round_sides.hpp"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <zmq.hpp>

#include "bench/bench.hpp"
#include "bench/zmtp_peers.hpp"
#include "common/base/ensure.hpp"
#include "common/codec/codec.hpp"
#include "common/log/log.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/host/file_limit.hpp"
#include "coordinator/server.hpp"
#include "coordinator/store/sqlite_store.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::bench {
namespace {

double resident_bytes() {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    long pages = 0;
    ensure(file != nullptr && std::fscanf(file, "%*d %ld", &pages) == 1,
           "the kernel reports the memory");
    std::fclose(file);
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

template <class T>
void write_to(int fd, const T& value) {
    ensure(write(fd, &value, sizeof(value)) == sizeof(value), "a pipe takes it");
}

template <class T>
[[nodiscard]] bool read_from(int fd, T& value) {
    return read(fd, &value, sizeof(value)) == sizeof(value);
}

std::uint16_t port_of(const std::string& endpoint) {
    return static_cast<std::uint16_t>(std::stoul(endpoint.substr(endpoint.rfind(':') + 1)));
}

void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

/// Answers each order with the cost of one round, until the orders end.
template <class Round>
void serve_rounds(int orders, int answers, double memory_before, Round round) {
    char order = 0;
    while (read_from(orders, order)) {
        const double cpu = cpu_ms_of(round);
        write_to(answers, Side::Cost{cpu, resident_bytes() - memory_before});
    }
}

}  // namespace

Side::Side(Run run, std::uint32_t count, bool keys) {
    int orders[2] = {};
    int answers[2] = {};
    ensure(pipe2(orders, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0, "pipes");
    side_ = fork();
    if (side_ == 0) {
        end_with_parent();
        close(orders[1]);
        close(answers[0]);
        run(orders[0], answers[1], count, keys);
        _exit(0);
    }
    close(orders[0]);
    close(answers[1]);
    orders_ = orders[1];
    answers_ = answers[0];
    Ports ports;
    ensure(read_from(answers_, ports), "a side listens");
    peers_ = fork();
    if (peers_ == 0) {
        end_with_parent();
        close(orders_);  // Otherwise the side would never see its orders end.
        close(answers_);
        run_peers(ports.agents, count, {}, keys);
    }
    ensure(read_from(answers_, join_), "the fleet joins");
    if (ports.operators != 0) {
        operator_ = std::make_unique<ZmtpOperator>(ports.operators, keys);
    }
}

Side::~Side() {
    kill(peers_, SIGKILL);
    waitpid(peers_, nullptr, 0);
    close(orders_);
    waitpid(side_, nullptr, 0);
    close(answers_);
}

Side::Cost Side::round() {
    Cost cost;
    write_to(orders_, 'r');
    if (operator_) {
        operator_->order_round();
    }
    ensure(read_from(answers_, cost), "a side answers");
    return cost;
}

namespace {

/// The key of each peer, in the order of their names, and that of the operator.
std::vector<coordinator::StoredKey> bench_keys(std::uint32_t count) {
    std::vector<coordinator::StoredKey> keys;
    for (std::uint32_t number = 0; number < count; ++number) {
        keys.push_back({.name = peer_name(number),
                        .role = Role::agent,
                        .keys = {{.key = zmtp::bench_key("peer", number).open}}});
    }
    keys.push_back({.name = "operator",
                    .role = Role::operator_,
                    .keys = {{.key = zmtp::bench_key("operator").open}}});
    return keys;
}

}  // namespace

void run_coordinator_side(int orders, int answers, std::uint32_t count, bool keys) {
    log::set_level(log::Level::error);
    ensure(coordinator::raise_file_limit(count).has_value(), "files for the fleet");
    const TemporaryDirectory directory;
    const auto store = coordinator::SqliteStore::open(directory.path() + "/store.sqlite", {1, 1});
    ensure(store.has_value(), "a store");
    auto image = (*store)->begin_leadership({2, 2});
    ensure(image.has_value(), "a leadership");
    coordinator::Security security;
    if (keys) {
        image->keys = bench_keys(count);
        security.keys = zmtp::bench_key("server");
        security.handshakes = 1'000'000;  // The whole fleet has one address.
    }

    net::Context context;
    net::Loop loop;
    coordinator::CoordinatorOptions options;
    options.round = 1h;  // Rounds begin only by order.
    options.keys = keys;
    const double memory_before = resident_bytes();
    coordinator::Server server{context, loop, options, {}, security};
    server.lead(**store, *image);
    const auto bound = server.listen({.agents = "tcp://127.0.0.1:*",
                                      .operators = "tcp://127.0.0.1:*",
                                      .operators_ipc = "",
                                      .events = "tcp://127.0.0.1:*"});
    ensure(bound.has_value(), "endpoints");
    write_to(answers, Side::Ports{port_of(bound->agents), port_of(bound->operators)});
    const auto turn_until = [&](std::uint64_t messages) {
        while (server.agent_traffic().messages < messages) {
            server.turn(net::boottime_now() + 1s);
        }
    };
    Side::Cost join{cpu_ms_of([&] { turn_until(count); }), 0};
    const auto end = net::boottime_now() + 1s;  // The last nodes become durable.
    while (server.turn(end) < end) {
    }
    join.memory_bytes = resident_bytes() - memory_before;
    write_to(answers, join);
    serve_rounds(orders, answers, memory_before,
                 [&] { turn_until(server.agent_traffic().messages + count); });
}

namespace {

/// A libzmq ROUTER and nothing else.
class BareRouter {
public:
    explicit BareRouter(bool keys) {
        if (keys) {
            const KeyPair server = zmtp::bench_key("server");
            const auto& secret = server.secret.bytes();
            const int on = 1;
            ensure(zmq_setsockopt(router_.handle(), ZMQ_CURVE_SERVER, &on, sizeof(on)) == 0 &&
                       zmq_setsockopt(router_.handle(), ZMQ_CURVE_SECRETKEY, secret.data(),
                                      secret.size()) == 0,
                   "a server with a key");
        }
        // Options that cost time or memory per peer are the coordinator's.
        router_.set(zmq::sockopt::sndhwm, 48);
        router_.set(zmq::sockopt::rcvhwm, 24);
        router_.set(zmq::sockopt::backlog, 4'096);
        router_.set(zmq::sockopt::router_mandatory, true);
        router_.set(zmq::sockopt::linger, 0);
        router_.bind("tcp://127.0.0.1:*");
    }

    [[nodiscard]] std::string endpoint() { return router_.get(zmq::sockopt::last_endpoint); }

    /// Receives this many messages, and stores the routes of the first ones in `routes_`.
    void receive(std::size_t messages, bool keep_routes) {
        zmq_pollitem_t item{router_.handle(), 0, ZMQ_POLLIN, 0};
        while (messages > 0) {
            zmq_poll(&item, 1, -1);
            while (zmq_msg_recv(frame_.handle(), router_.handle(), ZMQ_DONTWAIT) >= 0) {
                if (keep_routes) {
                    routes_.push_back(frame_.to_string());
                }
                receive_rest();
                --messages;
            }
        }
    }

    void send_to_all(std::string_view first, std::string_view second) {
        for (const auto& route : routes_) {
            zmq_send(router_.handle(), route.data(), route.size(), ZMQ_SNDMORE | ZMQ_DONTWAIT);
            zmq_send(router_.handle(), first.data(), first.size(), ZMQ_SNDMORE | ZMQ_DONTWAIT);
            zmq_send(router_.handle(), second.data(), second.size(), ZMQ_DONTWAIT);
        }
    }

private:
    void receive_rest() {
        while (frame_.more()) {
            ensure(zmq_msg_recv(frame_.handle(), router_.handle(), 0) >= 0, "a frame");
        }
    }

    zmq::context_t context_;
    zmq::socket_t router_{context_, zmq::socket_type::router};
    zmq::message_t frame_;
    std::vector<std::string> routes_;
};

}  // namespace

void run_bare_side(int orders, int answers, std::uint32_t count, bool keys) {
    ensure(coordinator::raise_file_limit(count).has_value(), "files for the fleet");
    const double memory_before = resident_bytes();
    BareRouter router{keys};
    write_to(answers, Side::Ports{port_of(router.endpoint()), 0});
    Side::Cost join{cpu_ms_of([&] { router.receive(count, true); }), 0};
    join.memory_bytes = resident_bytes() - memory_before;
    write_to(answers, join);
    const Poll poll{Epoch{1}, Round{100}, Incarnation{1}, Revision{1}, Sequence{0}};
    std::string encoded;
    serve_rounds(orders, answers, memory_before, [&] {
        codec::encode(poll, encoded);
        router.send_to_all(codec::version_frame(), encoded);
        router.receive(count, false);
    });
}

}  // namespace muster::bench
