#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

std::string detail_of(const Cluster& cluster, const std::string& task) {
    const auto instances = cluster.instances_of(task);
    if (instances.empty() || instances.front().at("state") != "failed") {
        return "";
    }
    return instances.front().at("detail").get<std::string>();
}

std::map<std::string, std::string> environment_of(const Found& process) {
    std::map<std::string, std::string> variables;
    for (const auto& entry : process.env) {
        const auto equals = entry.find('=');
        variables[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
    return variables;
}

}  // namespace

// Goal: a command that cannot run is reported, and harms no other task.
// Method: apply a missing program, a file that is no program and a missing directory beside a good
// task.
TEST_CASE("a command that cannot be executed is failed with its reason", "[integration][task]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto file = cluster.directory() + "/no-program";
    write_text(file, "no program\n");
    auto homeless = cluster.task("homeless", 1);
    homeless["workdir"] = cluster.directory() + "/nowhere";
    cluster.apply({cluster.task("missing", 1, {cluster.directory() + "/absent"}),
                   cluster.task("unfit", 1, {file}), homeless, cluster.task("good", 1)});

    CHECK(cluster.wait("good"));
    CHECK(until([&] { return contains(detail_of(cluster, "missing"), "absent"); }));
    CHECK(until([&] { return contains(detail_of(cluster, "unfit"), "no-program"); }));
    CHECK(until([&] { return contains(detail_of(cluster, "homeless"), "nowhere"); }));
    CHECK(until([&] { return cluster.status().at("failed") == 3; }));
    CHECK(cluster.pids("good", 1).size() == 1);

    // A spec that can run repairs the task.
    cluster.apply({cluster.task("missing", 1)});
    CHECK(cluster.wait("missing"));
}

// Goal: a process gets exactly the requested arguments and variables, and those that identify it;
// nothing of the agent's own.
// Method: arguments that a shell would change, and the whole environment from /proc.
TEST_CASE("a task has exactly its arguments, its environment and its directory",
          "[integration][task]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const std::vector<std::string> argv{"/bin/sh", "-c",     "sleep 1000 & wait", "$HOME `id`", "*",
                                        "",        "a b\nc", "\xc3\xa4"};
    auto task = cluster.task("web", 1, argv);
    task["env"]["GREETING"] = "hello = $USER \"x\"";
    task["workdir"] = cluster.directory();
    cluster.apply({task});
    REQUIRE(cluster.wait("web"));
    REQUIRE(cluster.pids("web", 2).size() == 2);

    const auto process = cluster.tasks("web").front();
    CHECK(arguments_of(process.pid) == argv);
    CHECK(std::filesystem::read_symlink("/proc/" + std::to_string(process.pid) + "/cwd") ==
          cluster.directory());
    auto variables = environment_of(process);
    const auto generation = cluster.instances_of("web").front().at("generation");
    CHECK(variables["GREETING"] == "hello = $USER \"x\"");
    CHECK(variables["MUSTER_TASK"] == "web");
    CHECK(variables["MUSTER_INSTANCE"] == "web.0");
    CHECK(variables["MUSTER_ORDINAL"] == "0");
    CHECK(variables["MUSTER_NODE"] == "n1");
    CHECK(variables["MUSTER_GENERATION"] == generation.dump());
    for (const auto* known :
         {"GREETING", "TEST_CLUSTER", "MUSTER_TASK", "MUSTER_INSTANCE", "MUSTER_NODE",
          "MUSTER_GENERATION", "MUSTER_ORDINAL", "MUSTER_PROCESS", "PATH", "LANG", "HOME"}) {
        variables.erase(known);
    }
    CHECK(variables.empty());
}

// Goal: a stop first sends the signal of the spec, so that a program can shut down properly.
// Method: a task that records the signal.
TEST_CASE("a task is stopped by the signal of its spec", "[integration][task]") {
    Cluster cluster{{.nodes = {"n1"}}};
    const auto note = cluster.directory() + "/note";
    auto task = cluster.task("web", 1,
                             {"/bin/sh", "-c",
                              "trap 'echo usr1 > " + note + "; exit 0' USR1; echo > " + note +
                                  ".ready; while :; do sleep 1000 & wait; done"});
    task["stop_signal"] = "USR1";
    cluster.apply({task});
    REQUIRE(cluster.wait("web"));
    REQUIRE(until([&] { return std::filesystem::exists(note + ".ready"); }));

    CHECK(cluster.ask({{"verb", "task remove"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(until([&] { return cluster.tasks().empty(); }));
    CHECK(text_of(note) == "usr1\n");
}

// Goal: after its grace a task and all its descendants are gone.
// Method: a task that ignores the signal and has a grandchild in its own session.
TEST_CASE("a stop ends the whole tree of a task after its grace", "[integration][task]") {
    Cluster cluster{{.nodes = {"n1"}}};
    auto task = cluster.task("web", 1,
                             {"/bin/sh", "-c",
                              "trap '' TERM; (setsid sh -c 'cd /; exec sleep 1001' &) ; "
                              "sleep 1002 & while :; do wait; done"});
    task["grace_ms"] = 100;
    cluster.apply({task});
    REQUIRE(cluster.wait("web"));
    REQUIRE(cluster.pids("web", 3).size() == 3);

    CHECK(cluster.ask({{"verb", "task remove"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(until([&] { return cluster.tasks().empty(); }));
    CHECK(until([&] { return cluster.node("n1").at("instances") == 0; }));
}

// Goal: a task that keeps ending does not disturb others, and its exit is reported.
// Method: a task that exits with 7, and a good one; with restart `never` it stays exited.
TEST_CASE("how a process ended is reported", "[integration][task]") {
    Cluster cluster{{.nodes = {"n1"}}};
    auto once = cluster.task("once", 1, {"/bin/sh", "-c", "exit 7"});
    once["restart"] = "never";
    auto killed = cluster.task("killed", 1, {"/bin/sh", "-c", "kill -9 $$"});
    killed["restart"] = "never";
    auto again = cluster.task("again", 1, {"/bin/sh", "-c", "exit 3"});
    cluster.apply({once, killed, again, cluster.task("good", 1)});
    CHECK(cluster.wait("good"));

    const auto first = [&](const char* name) { return cluster.instances_of(name).front(); };
    CHECK(until([&] { return first("once").at("state") == "exited"; }));
    CHECK(first("once").at("exit_code") == 7);
    CHECK(until([&] { return first("killed").at("state") == "exited"; }));
    CHECK(first("killed").at("exit_signal") == SIGKILL);
    CHECK(until([&] { return first("again").at("state") == "backoff"; }));
    CHECK(first("again").at("exit_code") == 3);
    CHECK(cluster.pids("good", 1).size() == 1);
}

// Goal: the output of a task is where the manual says.
// Method: a task that writes a line to each of its outputs.
TEST_CASE("the output of a task is kept in files", "[integration][task]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply(
        {cluster.task("web", 1, {"/bin/sh", "-c", "echo out; echo err >&2; sleep 1000"})});
    REQUIRE(cluster.wait("web"));
    const auto logs = cluster.directory() + "/state/agents/n1/logs/";
    CHECK(until([&] { return text_of(logs + "web.0.out") == "out\n"; }));
    CHECK(until([&] { return text_of(logs + "web.0.err") == "err\n"; }));
}

}  // namespace muster::integration
