#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

std::string source(const std::string& path) { return std::string{MUSTER_SOURCE_DIR} + "/" + path; }

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Counts the fenced blocks that name their content: all but plain illustrations.
std::size_t examples_of(const std::string& page) {
    std::istringstream lines{page};
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        count += line.starts_with("```") && line.size() > 3 ? 1U : 0U;
    }
    return count;
}

// The agent of examples/ or another one. It does not mark its processes, so the test passes the
// mark.
Command foreign_agent(const Cluster& cluster, const std::string& name,
                      const std::string& program = "examples/agent.py") {
    return {.argv = {"/usr/bin/python3", source(program), name, cluster.endpoints().agents,
                     cluster.directory() + "/" + name + ".json"},
            .env = {"TEST_CLUSTER=" + cluster.directory()},
            .errors = cluster.directory() + "/" + name + ".log"};
}

// Processes with this command line, on any node.
std::size_t running(const Cluster& cluster, const std::vector<std::string>& argv) {
    const auto all = cluster.processes();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const Found& one) { return arguments_of(one.pid) == argv; }));
}

}  // namespace

// Goal: docs/reference/protocol.md is the contract, so its examples must be true.
// Method: a client without any code of muster executes every example of the page.
TEST_CASE("the examples of the protocol manual do what it says", "[integration][foreign]") {
    Cluster cluster;
    const auto done =
        run(cluster.directory(),
            {"/usr/bin/python3", source("tests/integration/support/protocol_examples.py"),
             source("docs/reference/protocol.md"), cluster.endpoints().agents,
             cluster.endpoints().operators, cluster.operators_socket(), cluster.endpoints().events,
             cluster.agent_socket("n1")});
    INFO(done.output << done.errors);
    CHECK(done.exit == Exit{.code = 0});
    const auto examples = examples_of(text_of(source("docs/reference/protocol.md")));
    CHECK(examples > 40);
    CHECK(lines_of(done.output) == examples);
}

// Goal: the example agent is small enough to read at once. Method: count its lines.
TEST_CASE("the example agent has at most 400 lines", "[integration][foreign]") {
    const auto lines = lines_of(text_of(source("examples/agent.py")));
    CHECK(lines > 0);
    CHECK(lines <= 400);
}

// Goal: an agent does not run a task while ignoring one of its fields.
// Method: a task with a niceness, which the example does not implement; then the task without it.
TEST_CASE("a foreign agent refuses a task with a field that it does not support",
          "[integration][foreign]") {
    Cluster cluster{{.nodes = {}}};
    Process agent{foreign_agent(cluster, "n9")};
    REQUIRE(cluster.serving(1));
    auto task = cluster.task("web", 1, {"/bin/sleep", "1004"});
    task["nice"] = 5;
    cluster.apply({task});
    REQUIRE(until([&] {
        return contains(cluster.instances_of("web").at(0).at("detail"), "cannot honour 'nice'");
    }));
    CHECK(running(cluster, {"/bin/sleep", "1004"}) == 0);
    CHECK(cluster.node("n9").at("health") == "healthy");
    cluster.apply({cluster.task("web", 1, {"/bin/sleep", "1004"})});
    REQUIRE(cluster.wait("web"));
    CHECK(running(cluster, {"/bin/sleep", "1004"}) == 1);
    agent.signal(SIGTERM);
    CHECK(agent.wait(soon()) == Exit{.code = 0});
}

// Goal: a command that cannot be executed fails alone, on a foreign agent too.
// Method: a missing program and a file that is no program, beside a task that runs.
TEST_CASE("a foreign agent reports what it cannot execute, and continues",
          "[integration][foreign]") {
    Cluster cluster{{.nodes = {}}};
    Process agent{foreign_agent(cluster, "n9")};
    REQUIRE(cluster.serving(1));
    const auto formless = cluster.directory() + "/formless";
    write_text(formless, "echo no format\n");
    std::filesystem::permissions(formless, std::filesystem::perms::owner_all);
    const auto fails_with = [&](const std::string& task, const std::string& why) {
        return until([&] {
            const auto instance = cluster.instances_of(task).at(0);
            return instance.at("state") == "failed" && contains(instance.at("detail"), why);
        });
    };
    cluster.apply({cluster.task("absent", 1, {cluster.directory() + "/absent"}),
                   cluster.task("formless", 1, {formless})});
    REQUIRE(fails_with("absent", "No such file"));
    REQUIRE(fails_with("formless", "Exec format error"));

    cluster.apply({cluster.task("web", 1, {"/bin/sleep", "1003"})});
    REQUIRE(cluster.wait("web"));
    CHECK(until([&] { return running(cluster, {"/bin/sleep", "1003"}) == 1; }));
    CHECK(cluster.node("n9").at("incarnation") == 1);
    agent.signal(SIGTERM);
    CHECK(agent.wait(soon()) == Exit{.code = 0});
}

// Goal: the contract suffices to write an agent in another language.
// Method: one of 80 lines joins, gets work, changes it, dies, returns, and announces its departure.
TEST_CASE("a foreign agent joins, reports, starts and stops like our own",
          "[integration][foreign]") {
    Cluster cluster{{.nodes = {}}};
    Process first{foreign_agent(cluster, "n9")};
    REQUIRE(cluster.serving(1));
    cluster.apply({cluster.task("web", 1, {"/bin/sleep", "1001"})});
    REQUIRE(cluster.wait("web"));
    CHECK(cluster.instances_of("web").at(0).at("node") == "n9");
    CHECK(until([&] { return running(cluster, {"/bin/sleep", "1001"}) == 1; }));

    cluster.apply({cluster.task("web", 1, {"/bin/sleep", "1002"})});
    REQUIRE(cluster.wait("web"));
    CHECK(until([&] { return running(cluster, {"/bin/sleep", "1002"}) == 1; }));
    CHECK(running(cluster, {"/bin/sleep", "1001"}) == 0);

    first.signal(SIGTERM);
    CHECK(first.wait(soon()) == Exit{.code = 0});
    CHECK(until([&] { return cluster.node("n9").at("note") == "left"; }));
    CHECK(running(cluster, {"/bin/sleep", "1002"}) == 0);

    Process second{foreign_agent(cluster, "n9")};
    CHECK(until([&] { return running(cluster, {"/bin/sleep", "1002"}) == 1; }));
    REQUIRE(cluster.wait("web"));
    CHECK(cluster.ask({{"verb", "task remove"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(until([&] { return running(cluster, {"/bin/sleep", "1002"}) == 0; }));
    second.signal(SIGTERM);
    CHECK(second.wait(soon()) == Exit{.code = 0});
}

// Goal: the page also describes the msgpack form well enough for a robust agent.
// Method: two msgpack agents; each turn changes the tasks and kills one of the agents.
TEST_CASE("an agent in msgpack, written from the page, lives through churn and kills",
          "[integration][foreign]") {
    Cluster cluster{{.nodes = {}, .config = "max_flaky = \"" + in_ms(paces(10)) + "\"\n"}};
    std::map<std::string, std::unique_ptr<Process>> agents;
    const auto start = [&](const std::string& name) {
        agents[name] = std::make_unique<Process>(
            foreign_agent(cluster, name, "tests/integration/support/msgpack_agent.py"));
    };
    start("m1");
    start("m2");
    REQUIRE(cluster.serving(2));
    for (int turn = 0; turn < 6; ++turn) {
        const std::vector<std::string> web{"/bin/sleep", std::to_string(2'000 + turn)};
        auto ends = cluster.task("ends", 1, {"/bin/sh", "-c", "sleep 0.2"});
        ends["restart"] = "never";
        ends["env"]["TURN"] = std::to_string(turn);
        const std::size_t wanted = turn % 3 == 2 ? 1 : 2;
        cluster.apply({cluster.task("web", static_cast<std::uint32_t>(wanted), web), ends});
        const std::string killed = turn % 2 == 0 ? "m1" : "m2";
        agents.at(killed)->signal(SIGKILL);
        CHECK(agents.at(killed)->wait(soon()).has_value());
        start(killed);
        // So many restarts in a short time correctly suspend a node, so the test forgives it.
        REQUIRE(until([&] {
            static_cast<void>(cluster.ask({{"verb", "node forgive"}, {"pattern", "m*"}}));
            return cluster.status().at("serving") == 2 && cluster.status().at("converged") == true;
        }));
        CHECK(until([&] { return running(cluster, web) == wanted; }));
        CHECK(until([&] {
            const auto instance = cluster.instances_of("ends").at(0);
            return instance.at("state") == "exited" && instance.at("exit_code") == 0;
        }));
    }
    for (const auto& [name, agent] : agents) {
        CHECK(!cluster.node(name).contains("bad_report"));
        agent->signal(SIGTERM);
        CHECK(agent->wait(soon()) == Exit{.code = 0});
        CHECK_FALSE(contains(text_of(cluster.directory() + "/" + name + ".log"), "Traceback"));
    }
    CHECK(until([&] { return cluster.tasks().empty(); }));
}

}  // namespace muster::integration
