#include <csignal>
#include <cstdint>
#include <string>

#include "tests/integration/harness.hpp"

// Real processes of which there may never be two.
namespace muster::integration {

namespace {

ClusterOptions quick_leases() {
    ClusterOptions options;
    options.nodes = {"n1", "n2"};
    options.config = "lease = \"2s\"\n";
    return options;
}

Json alone(const Cluster& cluster) {
    Json task =
        cluster.task("db", 1, {"/bin/sh", "-c", "echo token $MUSTER_TOKEN; exec sleep 1000"});
    task["exclusive"] = true;
    return task;
}

std::string home_of(const Cluster& cluster) {
    for (const char* const node : {"n1", "n2"}) {
        if (!cluster.tasks_on(node).empty()) {
            return node;
        }
    }
    return "";
}

std::uint64_t token_of(const Cluster& cluster) {
    const auto found = cluster.tasks("db");
    return found.empty() ? 0
                         : std::stoull("0" + std::string{found.front().variable("MUSTER_TOKEN")});
}

}  // namespace

// Goal: a host that is out of reach ends what is exclusive by itself, before it runs elsewhere.
// Method: the agent is halted, or killed; the shim is all that is left there.
TEST_CASE("an exclusive task ends with its lease and is placed anew, with a higher token",
          "[integration][lease][S8]") {
    const bool is_killed = GENERATE(false, true);
    CAPTURE(is_killed);
    Cluster cluster{quick_leases()};
    cluster.apply({alone(cluster)});
    REQUIRE(cluster.wait("db"));
    const auto before = cluster.pids("db", 1);
    const auto home = home_of(cluster);
    const auto token = token_of(cluster);
    CHECK(token > 0);

    if (is_killed) {
        cluster.kill_agent(home);
    } else {
        kill(cluster.agent(home).pid(), SIGSTOP);
    }
    REQUIRE(until([&] { return cluster.tasks("db").empty(); }));
    REQUIRE(until([&] { return cluster.tasks("db").size() == 1; }));
    CHECK(home_of(cluster) != home);
    CHECK(cluster.pids("db", 1) != before);
    CHECK(token_of(cluster) > token);
    if (is_killed) {
        cluster.start_agent(home);
    } else {
        kill(cluster.agent(home).pid(), SIGCONT);
    }
    CHECK(cluster.serving(2));
    CHECK(cluster.wait("db"));
    CHECK(cluster.tasks("db").size() == 1);
}

// Goal: without a coordinator the lease ends everywhere, and all else runs on.
TEST_CASE("an exclusive task ends where no coordinator is, and comes back with it",
          "[integration][lease][S8]") {
    Cluster cluster{quick_leases()};
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

TEST_CASE("an exclusive task runs on while its agent is started anew", "[integration][lease][S8]") {
    Cluster cluster{quick_leases()};
    cluster.apply({alone(cluster)});
    REQUIRE(cluster.wait("db"));
    const auto before = cluster.pids("db", 1);
    const auto home = home_of(cluster);
    const auto incarnation = cluster.node(home).at("incarnation").get<std::uint64_t>();
    cluster.kill_agent(home);
    cluster.start_agent(home);
    REQUIRE(until([&] { return cluster.node(home).at("incarnation") > incarnation; }));
    CHECK(cluster.serving(2));
    const auto term = cluster.status().at("term").get<std::uint64_t>();
    // Beyond the lease that it had.
    REQUIRE(until([&] { return cluster.status().at("term") > term + 40; }));
    CHECK(cluster.pids("db", 1) == before);
}

}  // namespace muster::integration
