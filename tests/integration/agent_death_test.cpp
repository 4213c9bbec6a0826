#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/integration/harness.hpp"

namespace muster::integration {

namespace {

std::string home_of(const Cluster& cluster, const std::string& instance) {
    for (const auto& shown : cluster.instances_of("web")) {
        if ("web." + shown.at("ordinal").dump() == instance) {
            return shown.at("node").get<std::string>();
        }
    }
    return "";
}

bool lives(pid_t pid) { return !arguments_of(pid).empty(); }

}  // namespace

// Goal: a host that dies takes no task with it, and is of use again when it is back.
// Method: kill -9 an agent with its tasks, wait, start it again, want one more copy.
TEST_CASE("tasks of a dead host move, and it serves again when it returns",
          "[integration][death]") {
    Cluster cluster;
    cluster.apply({cluster.task("web", 2)});
    REQUIRE(cluster.wait("web"));
    const auto stays = cluster.pids("web.1", 1);
    const auto dead = home_of(cluster, "web.0");

    cluster.kill_host(dead);
    REQUIRE(until([&] { return cluster.node(dead).at("health") == "lost"; }));
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 2).size() == 2);
    CHECK(home_of(cluster, "web.0") != dead);
    CHECK(cluster.pids("web.1", 1) == stays);

    cluster.start_agent(dead);
    CHECK(cluster.serving(3));
    cluster.apply({cluster.task("web", 3)});
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 3).size() == 3);
    CHECK(cluster.tasks_on(dead).size() == 1);
    CHECK(cluster.pids("web.1", 1) == stays);
}

// Goal: what a killed agent left running is never beside what its next life starts.
// Method: kill -9 only the agent of a task that takes its time to end; when the coordinator knows
// the next life, the old process is gone.
TEST_CASE("an agent ends what its last life left before it says hello", "[integration][death]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task(
        "web", 1, {"/bin/sh", "-c", "trap 'sleep 0.5; exit' TERM; sleep 1000 & wait"})});
    REQUIRE(cluster.wait("web"));
    const auto incarnation = cluster.node("n1").at("incarnation").get<std::uint64_t>();
    const auto left = cluster.pids("web", 2);  // The shell and its sleep.

    cluster.kill_agent("n1");
    CHECK(cluster.pids("web", 2) == left);
    cluster.start_agent("n1");
    REQUIRE(until([&] { return cluster.node("n1").at("incarnation") > incarnation; }));
    for (const auto pid : left) {
        CHECK_FALSE(lives(pid));
    }
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 2).size() == 2);
}

// Goal: a host that was only paused gives up what was replaced meanwhile, and serves again.
// Method: stop the agent's process until it is lost, let it go on, and count the copies.
TEST_CASE("an agent that was paused comes back without doubles", "[integration][death]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto paused = home_of(cluster, "web.0");

    cluster.agent(paused).signal(SIGSTOP);
    REQUIRE(until([&] { return cluster.node(paused).at("health") == "lost"; }));
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 2).size() == 2);

    cluster.agent(paused).signal(SIGCONT);
    CHECK(cluster.serving(2));
    CHECK(cluster.pids("web", 1).size() == 1);
    CHECK(cluster.wait("web"));
    CHECK(cluster.tasks("web").size() == 1);
}

// Goal: agents of one name in different clusters leave each other's processes alone, on one host
// too. Method: two clusters with a node n1 each; the agent of one is killed and started again.
TEST_CASE("an agent ends only its own leftovers", "[integration][death]") {
    Cluster ours{{.nodes = {"n1"}}};
    Cluster theirs{{.nodes = {"n1"}}};
    ours.apply({ours.task("web", 1)});
    theirs.apply({theirs.task("web", 1)});
    REQUIRE(ours.wait("web"));
    REQUIRE(theirs.wait("web"));
    const auto before = theirs.pids("web", 1);
    const auto left = ours.pids("web", 1);

    ours.kill_agent("n1");
    ours.start_agent("n1");
    REQUIRE(until([&] { return ours.pids("web", 1) != left; }));
    CHECK(theirs.pids("web", 1) == before);
    CHECK(theirs.instances_of("web").front().at("restarts") == 0);
}

// Goal: an agent that is told to go leaves no process, and its work goes elsewhere at once.
// Method: SIGTERM, and SIGINT as by Ctrl-C, to the agent of a task.
TEST_CASE("an agent that is ended stops its tasks and says goodbye", "[integration][death]") {
    const int signal = GENERATE(SIGTERM, SIGINT);
    CAPTURE(signal);
    Cluster cluster{{.nodes = {"n1", "n2"}, .config = "goodbye_grace = \"0s\"\n"}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto leaving = home_of(cluster, "web.0");

    cluster.agent(leaving).signal(signal);
    CHECK(cluster.agent(leaving).wait(soon()) == Exit{.code = 0});
    CHECK(cluster.tasks_on(leaving).empty());
    CHECK(until([&] {
        return cluster.node(leaving).at("note").get<std::string>().find("goodbye") !=
               std::string::npos;
    }));
    CHECK(cluster.pids("web", 1).size() == 1);
    CHECK(until([&] { return home_of(cluster, "web.0") != leaving; }));
}

// Goal: tasks do not need a coordinator to be kept running.
// Method: kill the coordinator, then a task's process; its agent starts another.
TEST_CASE("a task that ends is started again while no coordinator is there",
          "[integration][death]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto before = cluster.pids("web", 1);

    cluster.kill_coordinator();
    kill(before.front(), SIGKILL);
    CHECK(until([&] { return cluster.pids("web", 1) != before; }));
    const auto local = ask_line(cluster.agent_socket("n1"), "list");
    REQUIRE(local);
    CHECK(local->dump().find("web") != std::string::npos);

    const auto again = cluster.pids("web", 1);
    cluster.start_coordinator();
    CHECK(cluster.wait("web"));
    CHECK(cluster.instances_of("web").front().at("restarts") == 1);
    CHECK(cluster.pids("web", 1) == again);
}

// Goal: a name belongs to the agent that has it.
// Method: start a second agent of the same name with a state of its own.
TEST_CASE("a second agent of a name is refused and the first is untouched",
          "[integration][death]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto pids = cluster.pids("web", 1);
    const auto incarnation = cluster.node("n1").at("incarnation");

    auto command = cluster.agent_command("n1");
    for (auto& word : command.argv) {
        if (word == cluster.directory() + "/state" || word == cluster.directory() + "/run") {
            word += "-second";
        }
    }
    command.output = command.errors = cluster.directory() + "/second.log";
    {
        Process second{command};
        CHECK(until(
            [&] { return cluster.log_of("second").find("name_in_use") != std::string::npos; }));
        second.signal(SIGTERM);
        CHECK(second.wait(soon()));
    }
    CHECK(cluster.node("n1").at("incarnation") == incarnation);
    CHECK(cluster.node("n1").at("health") == "healthy");
    CHECK(cluster.pids("web", 1) == pids);
}

}  // namespace muster::integration
