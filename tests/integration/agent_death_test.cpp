#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "tests/integration/support/harness.hpp"

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

// Goal: the tasks of a dead host run elsewhere, and the host serves again when it returns.
// Method: kill -9 an agent and its tasks, wait, restart the agent, want one more copy.
TEST_CASE("tasks of a dead host move, and it serves again when it returns",
          "[integration][death]") {
    Cluster cluster{{.loses_quickly = true}};
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

// Goal: an agent can die at any moment without an effect on tasks.
// Method: kill -9 only the agent of a task that has a tree; the next life reports what runs.
TEST_CASE("an agent that is killed finds its tasks again, under the same pids",
          "[integration][death][S14]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1, {"/bin/sh", "-c", "sleep 1000 & wait"})});
    REQUIRE(cluster.wait("web"));
    const auto incarnation = cluster.node("n1").at("incarnation").get<std::uint64_t>();
    const auto before = cluster.pids("web", 2);  // The shell and its sleep.

    cluster.kill_agent("n1");
    cluster.start_agent("n1");
    REQUIRE(until([&] { return cluster.node("n1").at("incarnation") > incarnation; }));
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 2) == before);
    CHECK(cluster.instances_of("web").front().at("restarts") == 0);
    CHECK(cluster.instances_of("web").front().at("state") == "running");
}

// Goal: how a task ended is known even if it ended while its agent was down.
TEST_CASE("the next life of an agent reports what ended while the agent was down",
          "[integration][death]") {
    Cluster cluster{{.nodes = {"n1"}}};
    auto job = cluster.task("job", 1, {"/bin/sh", "-c", "read line < go; exit 7"});
    job["restart"] = "never";
    job["workdir"] = cluster.directory();
    const auto gate = cluster.directory() + "/go";
    REQUIRE(mkfifo(gate.c_str(), 0600) == 0);
    cluster.apply({job});
    REQUIRE(until([&] { return cluster.tasks("job").size() == 1; }));

    cluster.kill_agent("n1");
    write_text(gate, "\n");
    REQUIRE(until([&] { return cluster.tasks("job").empty(); }));
    cluster.start_agent("n1");
    REQUIRE(until([&] { return cluster.instances_of("job").front().at("state") == "exited"; }));
    CHECK(cluster.instances_of("job").front().at("exit_code") == 7);
}

// Goal: an agent survives the loss of its state directory. Method: remove it while the agent is
// dead.
TEST_CASE("an agent without its state finds its tasks by their sockets",
          "[integration][death][S14]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto before = cluster.pids("web", 1);
    cluster.kill_agent("n1");
    std::filesystem::remove_all(cluster.directory() + "/state/agents");
    cluster.start_agent("n1");
    REQUIRE(cluster.serving(1));
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 1) == before);
}

// Goal: no process runs whose end cannot be reported. Method: kill -9 a shim, with its agent
// running and without.
TEST_CASE("a task whose shim was killed is ended and restarted", "[integration][death]") {
    const bool with_agent = GENERATE(true, false);
    CAPTURE(with_agent);
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 1, {"/bin/sh", "-c", "setsid sleep 1000 & wait"})});
    REQUIRE(cluster.wait("web"));
    const auto before = cluster.pids("web", 2);
    if (!with_agent) {
        cluster.kill_agent("n1");
    }
    for (const auto& shim : cluster.shims_of("n1")) {
        kill(shim.pid, SIGKILL);
    }
    if (!with_agent) {
        cluster.start_agent("n1");
    }
    REQUIRE(until([&] {
        const auto now = cluster.tasks("web");
        return now.size() == 2 && now.front().pid != before.front();
    }));
    for (const auto pid : before) {
        CHECK_FALSE(lives(pid));
    }
    CHECK(until([&] { return cluster.instances_of("web").front().at("restarts") == 1; }));
}

// Goal: a host that was only paused stops the instances that were replaced, and serves again.
// Method: pause the agent's process until it is lost, resume it, and count the copies.
TEST_CASE("an agent that was paused leaves no duplicate running", "[integration][death]") {
    Cluster cluster{{.nodes = {"n1", "n2"}, .loses_quickly = true}};
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

// Goal: agents of the same name in different clusters never touch each other's processes, even on
// one host. Method: two clusters with a node n1 each; stop everything in one.
TEST_CASE("an agent ends only its own processes", "[integration][death]") {
    Cluster ours{{.nodes = {"n1"}}};
    Cluster theirs{{.nodes = {"n1"}}};
    ours.apply({ours.task("web", 1)});
    theirs.apply({theirs.task("web", 1)});
    REQUIRE(ours.wait("web"));
    REQUIRE(theirs.wait("web"));
    const auto before = theirs.pids("web", 1);

    ours.kill_agent("n1");
    CHECK(ours.pids("web", 1).size() == 1);
    CHECK(ours.stop_all("n1"));
    CHECK(ours.tasks("web").empty());
    CHECK(ours.shims_of("n1").empty());
    CHECK(theirs.pids("web", 1) == before);
    CHECK(theirs.instances_of("web").front().at("restarts") == 0);
}

// Goal: an agent can be restarted and upgraded without an effect on tasks.
// Method: send SIGTERM, and SIGINT as Ctrl-C does, to a task's agent; then restart it.
TEST_CASE("an agent that is stopped announces its departure, and its tasks keep running",
          "[integration][death]") {
    const int signal = GENERATE(SIGTERM, SIGINT);
    CAPTURE(signal);
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto leaving = home_of(cluster, "web.0");
    const auto before = cluster.pids("web", 1);

    cluster.agent(leaving).signal(signal);
    CHECK(cluster.agent(leaving).wait(soon()) == Exit{.code = 0});
    CHECK(until([&] {
        return cluster.node(leaving).at("note").get<std::string>().find("left") !=
               std::string::npos;
    }));
    CHECK(cluster.pids("web", 1) == before);
    cluster.start_agent(leaving);
    CHECK(cluster.serving(2));
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 1) == before);
    CHECK(home_of(cluster, "web.0") == leaving);
    CHECK(cluster.instances_of("web").front().at("restarts") == 0);
}

// Goal: instances left by an agent are not forgotten. Method: the agent does not return.
TEST_CASE("instances that an agent left running move when it does not return",
          "[integration][death]") {
    Cluster cluster{
        {.nodes = {"n1", "n2"}, .config = "departure_grace = \"0s\"\nrecovery_grace = \"0s\"\n"}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto leaving = home_of(cluster, "web.0");
    cluster.agent(leaving).signal(SIGTERM);
    CHECK(cluster.agent(leaving).wait(soon()) == Exit{.code = 0});
    CHECK(until([&] { return home_of(cluster, "web.0") != leaving; }));
    CHECK(cluster.stop_all(leaving));
    CHECK(until([&] { return cluster.tasks("web").size() == 1; }));
}

// Goal: one command ends everything on a host. Method: run it beside a running agent.
TEST_CASE("stop-all ends the tasks of an agent, and the agent", "[integration][death]") {
    Cluster cluster{{.nodes = {"n1", "n2"}}};
    cluster.apply({cluster.task("web", 1)});
    REQUIRE(cluster.wait("web"));
    const auto leaving = home_of(cluster, "web.0");
    CHECK(cluster.stop_all(leaving));
    CHECK(cluster.agent(leaving).wait(soon()) == Exit{.code = 0});
    CHECK(cluster.tasks_on(leaving).empty());
    CHECK(cluster.shims_of(leaving).empty());
    CHECK(until(
        [&] { return home_of(cluster, "web.0") != leaving && cluster.tasks("web").size() == 1; }));
}

// Goal: a mistyped name is not reported as stopped. Method: run it beside a running agent.
TEST_CASE("stop-all of a name that never ran here says so and creates nothing",
          "[integration][death]") {
    const Cluster cluster{{.nodes = {"n1"}}};
    auto command = cluster.agent_command("nope");
    command.argv.insert(command.argv.begin() + 1, "stop-all");
    CHECK(Process{command}.wait(soon()) == Exit{.code = 1});
    CHECK(cluster.log_of("nope").find("no agent 'nope' has run here") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(cluster.directory() + "/state/agents/nope"));
}

// Goal: tasks keep running without a coordinator.
// Method: kill the coordinator, then a task's process; its agent starts another.
TEST_CASE("a task that ends is restarted while no coordinator is running", "[integration][death]") {
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
// Method: start a second agent of the same name with its own state.
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
