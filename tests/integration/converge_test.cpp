#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/support/harness.hpp"

namespace muster::integration {

namespace {

std::set<std::string> generations_of(const std::vector<Found>& processes) {
    std::set<std::string> generations;
    for (const auto& process : processes) {
        generations.emplace(process.variable("MUSTER_GENERATION"));
    }
    return generations;
}

}  // namespace

// Goal: the whole path from an operator's request to processes and back to an answer works.
// Method: apply two tasks, wait, and compare the reported instances with the processes.
TEST_CASE("applied tasks run, spread over the nodes", "[integration][converge]") {
    Cluster cluster;
    cluster.apply({cluster.task("web", 3), cluster.task("db", 1)});
    REQUIRE(cluster.wait("*"));

    const auto status = cluster.status();
    CHECK(status.at("converged") == true);
    CHECK(status.at("running") == 4);
    REQUIRE(cluster.pids("web", 3).size() == 3);
    CHECK(cluster.pids("db", 1).size() == 1);
    std::set<std::string> homes;
    for (const auto& process : cluster.tasks("web")) {
        homes.emplace(process.variable("MUSTER_NODE"));
    }
    CHECK(homes == std::set<std::string>{"n1", "n2", "n3"});
    for (const auto& instance : cluster.instances_of("web")) {
        CHECK(instance.at("state") == "running");
        CHECK(homes.contains(instance.at("node").get<std::string>()));
    }
}

// Goal: scaling down stops the highest ordinals, and a removed task leaves nothing.
// Method: scale a running task down, then remove it.
TEST_CASE("a task that is scaled down keeps its lowest ordinals", "[integration][converge]") {
    Cluster cluster;
    cluster.apply({cluster.task("web", 3)});
    REQUIRE(cluster.wait("web"));
    const auto first = cluster.pids("web.0", 1);

    CHECK(cluster.ask({{"verb", "task scale"}, {"pattern", "web"}, {"instances", 1}}).at("ok") ==
          true);
    CHECK(cluster.pids("web", 1) == first);

    CHECK(cluster.ask({{"verb", "task remove"}, {"pattern", "web"}}).at("ok") == true);
    CHECK(until([&] { return cluster.tasks().empty(); }));
    // The instance is shown until the agents have reported its end.
    CHECK(until([&] {
        const auto shown = cluster.ask({{"verb", "task show"}, {"name", "web"}});
        return shown.at("ok") == false && shown.at("error").at("code") == "not_found";
    }));
}

// Goal: a changed spec is a new generation, and each process has its generation in its environment.
// Method: change the command of a running task, then restart it without a change.
TEST_CASE("a changed or restarted task runs in a new generation", "[integration][converge]") {
    Cluster cluster;
    cluster.apply({cluster.task("web", 2)});
    REQUIRE(cluster.wait("web"));
    REQUIRE(cluster.pids("web", 2).size() == 2);
    const auto before = generations_of(cluster.tasks("web"));
    REQUIRE(before.size() == 1);

    cluster.apply({cluster.task("web", 2, {"/bin/sleep", "2000"})});
    REQUIRE(cluster.wait("web"));
    REQUIRE(cluster.pids("web", 2).size() == 2);
    const auto changed = generations_of(cluster.tasks("web"));
    CHECK(changed.size() == 1);
    CHECK(changed != before);
    for (const auto& process : cluster.tasks("web")) {
        CHECK(arguments_of(process.pid).back() == "2000");
    }

    CHECK(cluster.ask({{"verb", "task restart"}, {"pattern", "web"}}).at("ok") == true);
    REQUIRE(cluster.wait("web"));
    REQUIRE(cluster.pids("web", 2).size() == 2);
    CHECK(generations_of(cluster.tasks("web")) != changed);
}

// Goal: an unplaced instance is shown with its reason, and is placed when it can be.
// Method: want more copies than there are nodes, then add a node.
TEST_CASE("an instance without a node is reported and placed later", "[integration][converge]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("web", 2)});
    CHECK(until([&] { return cluster.status().at("unplaced") == 1; }));
    const auto shown = cluster.ask({{"verb", "task show"}, {"name", "web"}});
    CHECK(shown.at("task").at("state") == "unplaced");
    REQUIRE_FALSE(shown.at("unplaced_reasons").empty());
    CHECK(shown.at("unplaced_reasons").front().at("code") == "max_per_node");
    CHECK(until([&] { return cluster.tasks("web").size() == 1; }));

    cluster.start_agent("n2");
    CHECK(cluster.wait("web"));
    CHECK(cluster.pids("web", 2).size() == 2);
    CHECK(cluster.tasks_on("n2").size() == 1);
}

// Goal: only --replace removes tasks that are not in the request.
// Method: apply two tasks one after the other, then one of them with --replace.
TEST_CASE("apply adds tasks, and removes others only with replace", "[integration][converge]") {
    Cluster cluster{{.nodes = {"n1"}}};
    cluster.apply({cluster.task("a", 1)});
    cluster.apply({cluster.task("b", 1)});
    REQUIRE(cluster.wait("*"));
    CHECK(cluster.pids("", 2).size() == 2);

    cluster.apply({cluster.task("b", 1)}, true);
    CHECK(until([&] { return cluster.tasks("a").empty(); }));
    CHECK(cluster.tasks("b").size() == 1);
}

}  // namespace muster::integration
