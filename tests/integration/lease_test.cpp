#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/support/harness.hpp"

// Real processes of exclusive instances: there are never two.
namespace muster::integration {

namespace {

ClusterOptions with_lease(int of_paces, std::vector<std::string> nodes = {"n1", "n2"}) {
    ClusterOptions options;
    options.nodes = std::move(nodes);
    options.config = "lease = \"" + in_ms(paces(of_paces)) + "\"\n";
    return options;
}

Json alone(const Cluster& cluster, const std::string& name = "db") {
    Json task =
        cluster.task(name, 1, {"/bin/sh", "-c", "echo token $MUSTER_TOKEN; exec sleep 1000"});
    task["exclusive"] = true;
    return task;
}

/// A variable of the task's process. Its shell executes another program at first, and meanwhile the
/// kernel shows no environment.
std::string variable_of(const Cluster& cluster, const std::string& task, const char* name) {
    std::string value;
    static_cast<void>(until([&] {
        const auto found = cluster.tasks(task);
        value = found.empty() ? "" : std::string{found.front().variable(name)};
        return !value.empty();
    }));
    return value;
}

std::string host_of(const Cluster& cluster, const std::string& task = "db") {
    return variable_of(cluster, task, "MUSTER_NODE");
}

std::uint64_t token_of(const Cluster& cluster, const std::string& task = "db") {
    return std::stoull("0" + variable_of(cluster, task, "MUSTER_TOKEN"));
}

}  // namespace

// Goal: an unreachable host ends its exclusive instances by itself before they run elsewhere.
// Method: kill one agent and pause another at once, so that only the shims are active there.
TEST_CASE("an exclusive task ends with its lease and is placed again with a higher token",
          "[integration][lease][S8]") {
    ClusterOptions options = with_lease(20, {"n1", "n2", "n3", "n4"});
    options.loses_quickly = true;
    Cluster cluster{options};
    cluster.apply({alone(cluster, "db"), alone(cluster, "kv")});
    REQUIRE(cluster.wait("*"));
    std::map<std::string, std::vector<pid_t>> before;
    std::map<std::string, std::string> homes;
    std::map<std::string, std::uint64_t> tokens;
    for (const std::string task : {"db", "kv"}) {
        before[task] = cluster.pids(task, 1);
        homes[task] = host_of(cluster, task);
        tokens[task] = token_of(cluster, task);
        CHECK(tokens[task] > 0);
    }
    const auto killed = homes["db"];
    const auto halted = homes["kv"];
    REQUIRE(killed != halted);

    cluster.kill_agent(killed);
    cluster.agent(halted).signal(SIGSTOP);
    for (const std::string task : {"db", "kv"}) {
        REQUIRE(until([&] { return cluster.tasks(task).empty(); }));
    }
    for (const std::string task : {"db", "kv"}) {
        CAPTURE(task);
        REQUIRE(until([&] { return cluster.tasks(task).size() == 1; }));
        CHECK(host_of(cluster, task) != homes[task]);
        CHECK(cluster.pids(task, 1) != before[task]);
        CHECK(token_of(cluster, task) > tokens[task]);
    }
    cluster.start_agent(killed);
    cluster.agent(halted).signal(SIGCONT);
    CHECK(cluster.serving(4));
    CHECK(cluster.wait("*"));
    for (const std::string task : {"db", "kv"}) {
        CHECK(cluster.tasks(task).size() == 1);
    }
}

// Goal: without a coordinator every lease ends, and all other tasks keep running.
TEST_CASE("an exclusive task ends without a coordinator and returns with it",
          "[integration][lease][S8]") {
    Cluster cluster{with_lease(20)};
    cluster.apply({alone(cluster), cluster.task("web", 1)});
    REQUIRE(cluster.wait("*"));
    const auto stays = cluster.pids("web", 1);
    const auto token = token_of(cluster);
    cluster.kill_coordinator();
    REQUIRE(until([&] { return cluster.tasks("db").empty(); }));
    cluster.start_coordinator();
    CHECK(until([&] { return cluster.tasks("db").size() == 1; }));
    CHECK(token_of(cluster) > token);
    CHECK(cluster.pids("web", 1) == stays);
}

TEST_CASE("an exclusive task keeps running while its agent is restarted",
          "[integration][lease][S8]") {
    constexpr int lease = 50;  // The restart of an agent fits into it on a busy machine, too.
    Cluster cluster{with_lease(lease)};
    cluster.apply({alone(cluster)});
    REQUIRE(cluster.wait("db"));
    const auto before = cluster.pids("db", 1);
    const auto home = host_of(cluster);
    const auto incarnation = cluster.node(home).at("incarnation").get<std::uint64_t>();
    cluster.kill_agent(home);
    cluster.start_agent(home);
    REQUIRE(until([&] { return cluster.node(home).at("incarnation") > incarnation; }));
    CHECK(cluster.serving(2));
    const auto round = cluster.status().at("round").get<std::uint64_t>();
    // Longer than the first lease.
    REQUIRE(until([&] { return cluster.status().at("round") > round + lease; }));
    CHECK(cluster.pids("db", 1) == before);
}

}  // namespace muster::integration
