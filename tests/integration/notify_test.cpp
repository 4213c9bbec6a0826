#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"
#include "tests/integration/support/notify_socket.hpp"

namespace muster::integration {

namespace {

// A daemon under a supervisor that expects a keep-alive at least five times a second.
struct Supervised {
    explicit Supervised(const std::string& directory, Command command)
        : supervisor{directory + "/supervisor"},
          daemon{with_socket(std::move(command), supervisor)} {}

    static Command with_socket(Command command, const NotifySocket& by) {
        command.env.push_back("NOTIFY_SOCKET=" + by.path());
        command.env.emplace_back("WATCHDOG_USEC=200000");
        return command;
    }
    [[nodiscard]] std::optional<std::string> next_state() const {
        return supervisor.next_state(daemon);
    }

    NotifySocket supervisor;
    Process daemon;
};

// The notifications from start to end, as systemd receives them.
void expect_life(Supervised& life, int signal) {
    CHECK(life.next_state() == "READY=1");
    for (int times = 0; times < 3; ++times) {
        CHECK(life.next_state() == "WATCHDOG=1");
    }
    life.daemon.signal(signal);
    auto state = life.next_state();
    while (state == "WATCHDOG=1") {
        state = life.next_state();
    }
    CHECK(state == "STOPPING=1");
    while (state) {
        state = life.next_state();
        CHECK((!state || state == "WATCHDOG=1"));
    }
    CHECK(life.daemon.wait(soon()) == Exit{.code = 0});
}

}  // namespace

// Goal: the daemons support `Type=notify` and `WatchdogSec=` of their units.
// Method: act as the supervisor, from READY=1 over the watchdog to STOPPING=1, for both signals
// that end a daemon.
TEST_CASE("a coordinator notifies its supervisor when it is ready, alive and stopping",
          "[integration][notify]") {
    Cluster cluster{{.nodes = {}}};
    cluster.kill_coordinator();
    for (const int signal : {SIGTERM, SIGINT}) {
        Supervised life{cluster.directory(), cluster.coordinator_command()};
        expect_life(life, signal);
    }
}

// Goal: the same without a coordinator: an agent is ready as soon as its host is.
TEST_CASE(
    "an agent without a coordinator notifies its supervisor when it is ready, alive and stopping",
    "[integration][notify]") {
    Cluster cluster{{.nodes = {}}};
    cluster.kill_coordinator();
    for (const int signal : {SIGTERM, SIGINT}) {
        Supervised life{cluster.directory(), cluster.agent_command("n1")};
        expect_life(life, signal);
    }
}

// Goal: after READY=1 a client can ask at once, because units that start later rely on it.
// Method: ask as soon as READY=1 arrives, once.
TEST_CASE("a daemon that is ready answers", "[integration][notify]") {
    Cluster cluster{{.nodes = {}}};
    CHECK(ask_line(cluster.operators_socket(), "ping"));
    const auto agent = start_ready(cluster.directory(), cluster.agent_command("n1"));
    CHECK(ask_line(cluster.agent_socket("n1"), "status"));
    agent->signal(SIGTERM);
    CHECK(agent->wait(soon()) == Exit{.code = 0});
}

// Goal: systemd never takes a failed start for a success.
// Method: a coordinator whose ports are taken, and an agent whose state directory is.
TEST_CASE("a daemon that cannot start never reports that it is ready", "[integration][notify]") {
    Cluster cluster{{.nodes = {"n1"}}};
    std::vector<Command> taken{cluster.coordinator_command(), cluster.agent_command("n1")};
    taken.front().argv.insert(taken.front().argv.end(),
                              {"--state-dir", cluster.directory() + "/another"});
    for (const auto& command : taken) {
        Supervised life{cluster.directory(), command};
        CHECK(life.next_state() == std::nullopt);
        CHECK(life.daemon.wait(soon()) == Exit{.code = 1});
    }
}

}  // namespace muster::integration
