#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"
#include "tests/integration/support/notify_socket.hpp"

namespace muster::integration {

namespace {

// A daemon under a supervisor that wants to hear of it five times a second at least.
struct Supervised {
    explicit Supervised(const std::string& directory, Command command)
        : supervisor{directory + "/supervisor"}, daemon{told(std::move(command), supervisor)} {}

    static Command told(Command command, const NotifySocket& by) {
        command.env.push_back("NOTIFY_SOCKET=" + by.path());
        command.env.emplace_back("WATCHDOG_USEC=200000");
        return command;
    }
    [[nodiscard]] std::optional<std::string> heard() const { return supervisor.heard_from(daemon); }

    NotifySocket supervisor;
    Process daemon;
};

// From its start to its end, as systemd hears it.
void expect_life(Supervised& life, int signal) {
    CHECK(life.heard() == "READY=1");
    for (int times = 0; times < 3; ++times) {
        CHECK(life.heard() == "WATCHDOG=1");
    }
    life.daemon.signal(signal);
    auto heard = life.heard();
    while (heard == "WATCHDOG=1") {
        heard = life.heard();
    }
    CHECK(heard == "STOPPING=1");
    while (heard) {
        heard = life.heard();
        CHECK((!heard || heard == "WATCHDOG=1"));
    }
    CHECK(life.daemon.wait(soon()) == Exit{.code = 0});
}

}  // namespace

// Goal: `Type=notify` and `WatchdogSec=` of the units are honoured by the daemons themselves.
// Method: be the supervisor, from READY=1 over the watchdog to STOPPING=1, for both signals that
// end a daemon.
TEST_CASE("a coordinator tells its supervisor when it is ready, lives and stops",
          "[integration][notify]") {
    Cluster cluster{{.nodes = {}}};
    cluster.kill_coordinator();
    for (const int signal : {SIGTERM, SIGINT}) {
        Supervised life{cluster.directory(), cluster.coordinator_command()};
        expect_life(life, signal);
    }
}

// Goal: the same, and no coordinator is needed to be ready: its host is there, whoever decides.
TEST_CASE("an agent without a coordinator tells its supervisor when it is ready, lives and stops",
          "[integration][notify]") {
    Cluster cluster{{.nodes = {}}};
    cluster.kill_coordinator();
    for (const int signal : {SIGTERM, SIGINT}) {
        Supervised life{cluster.directory(), cluster.agent_command("n1")};
        expect_life(life, signal);
    }
}

// Goal: ready means that who was told may ask at once: what starts after the unit relies on it.
// Method: ask as soon as it is said, once.
TEST_CASE("a daemon that is ready answers", "[integration][notify]") {
    Cluster cluster{{.nodes = {}}};
    CHECK(ask_line(cluster.operators_socket(), "ping"));
    const auto agent = start_ready(cluster.directory(), cluster.agent_command("n1"));
    CHECK(ask_line(cluster.agent_socket("n1"), "status"));
    agent->signal(SIGTERM);
    CHECK(agent->wait(soon()) == Exit{.code = 0});
}

// Goal: a start that fails is none to systemd, and it is not told otherwise before.
// Method: a daemon that cannot have its port, or its state directory.
TEST_CASE("a daemon that cannot start never says that it is ready", "[integration][notify]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const std::vector<Command> taken{cluster.coordinator_command(), cluster.agent_command("n1")};
    for (const auto& command : taken) {
        Supervised life{cluster.directory(), command};
        CHECK(life.heard() == std::nullopt);
        CHECK(life.daemon.wait(soon()) == Exit{.code = 1});
    }
}

}  // namespace muster::integration
