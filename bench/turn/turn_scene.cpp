#include "bench/turn/turn_scene.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "bench/zmtp_peers.hpp"
#include "common/base/ensure.hpp"
#include "common/log/log.hpp"
#include "common/net/host/clock.hpp"
#include "coordinator/host/file_limit.hpp"
#include "coordinator/server.hpp"
#include "coordinator/store/sqlite_store.hpp"
#include "tests/temporary_directory.hpp"

namespace muster::bench {
namespace {

const std::string large_task = "large";

double thread_cpu_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
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

coordinator::StoredTask task_of(std::string name, std::uint32_t instances) {
    coordinator::StoredTask task;
    task.wanted.name = std::move(name);
    task.wanted.spec.argv = {"/usr/bin/service"};
    task.wanted.instances = instances;
    task.generation = task.created = Generation{1};
    return task;
}

void add_known(TurnSize size, coordinator::StoreImage& image) {
    image.meta.counter = Generation{1};
    for (std::uint32_t node = 0; node < size.nodes; ++node) {
        image.nodes.push_back({.name = peer_name(node), .incarnation = Incarnation{1}});
    }
    image.tasks.push_back(task_of(large_task, size.of_large));
    for (std::uint32_t number = 0; number < size.tasks; ++number) {
        image.tasks.push_back(task_of(padded('t', number), size.of_task));
    }
}

/// Each node runs the same number. Tasks are in the order of their names, and each task is on many
/// nodes.
Running running_of(TurnSize size) {
    Running running(size.nodes);
    for (std::uint32_t ordinal = 0; ordinal < size.of_large; ++ordinal) {
        running[ordinal % size.nodes].push_back({large_task, ordinal});
    }
    for (std::uint32_t number = 0; number < size.tasks * size.of_task; ++number) {
        running[(number * 101ULL) % size.nodes].push_back(
            {padded('t', number / size.of_task), number % size.of_task});
    }
    return running;
}

/// Runs turns until the orders end. Answers each order with the longest turn since the last one.
void serve(int orders, int answers, TurnSize size) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    log::set_level(log::Level::error);
    ensure(coordinator::raise_file_limit(size.nodes + 1'000).has_value(), "files for the fleet");
    const TemporaryDirectory directory;
    const auto store = coordinator::SqliteStore::open(directory.path() + "/store.sqlite", {1, 1});
    ensure(store.has_value(), "a store");
    auto image = (*store)->begin_leadership({2, 2});
    ensure(image.has_value(), "a leadership");
    add_known(size, *image);
    net::Context context;
    net::Loop loop;
    coordinator::CoordinatorOptions options;
    options.recovery_grace = 5min;  // No orders before all nodes have reported.
    coordinator::Server server{context, loop, options};
    server.lead(**store, *image);
    const auto bound = server.listen({.agents = "tcp://127.0.0.1:*",
                                      .operators = "tcp://127.0.0.1:*",
                                      .operators_ipc = "",
                                      .events = "tcp://127.0.0.1:*",
                                      .http = "tcp://127.0.0.1:*"});
    ensure(bound.has_value(), "endpoints");
    write_to(answers, TurnScene::Ports{port_of(bound->agents), port_of(bound->operators),
                                       port_of(bound->http)});
    LongestTurn longest;
    bool is_asked = false;
    bool is_open = true;
    loop.watch(orders, [&](Instant) {
        char order = 0;
        is_open = read_from(orders, order);
        is_asked = true;
    });
    while (is_open) {
        const double began = thread_cpu_ms();
        const Instant now = server.turn(Instant::max());
        longest.cpu_ms = std::max(longest.cpu_ms, thread_cpu_ms() - began);
        longest.wall_ms =
            std::max(longest.wall_ms, static_cast<double>((net::boottime_now() - now) / 1us) / 1e3);
        ++longest.turns;
        if (std::exchange(is_asked, false) && is_open) {
            write_to(answers, std::exchange(longest, {}));
        }
    }
    _exit(0);  // Skips freeing the memory of a million instances.
}

}  // namespace

std::string padded(char letter, std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return letter + std::string(6 - digits.size(), '0') + digits;
}

TurnScene::TurnScene(TurnSize size) {
    int orders[2] = {};
    int answers[2] = {};
    ensure(pipe2(orders, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0, "pipes");
    server_ = fork();
    if (server_ == 0) {
        close(orders[1]);
        close(answers[0]);
        serve(orders[0], answers[1], size);
    }
    close(orders[0]);
    close(answers[1]);
    orders_ = orders[1];
    answers_ = answers[0];
    ensure(read_from(answers_, ports_), "the coordinator listens");
    fleet_ = fork();
    if (fleet_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(orders_);
        close(answers_);
        run_peers(ports_.agents, size.nodes, running_of(size));
    }
}

TurnScene::~TurnScene() {
    kill(fleet_, SIGKILL);
    waitpid(fleet_, nullptr, 0);
    close(orders_);
    waitpid(server_, nullptr, 0);
    close(answers_);
}

LongestTurn TurnScene::longest() const {
    LongestTurn longest;
    write_to(orders_, 'l');
    ensure(read_from(answers_, longest), "the coordinator turns");
    return longest;
}

}  // namespace muster::bench
