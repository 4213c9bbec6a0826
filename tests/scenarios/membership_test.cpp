#include "tests/scenarios/support.hpp"

// Nodes join, fall silent and return, and their work moves.
namespace muster::sim {
namespace {

// Goal: work is spread over the available nodes. Method: three tasks, three nodes.
TEST_CASE("three tasks run on three nodes, one on each", "[scenario][GO-01]") {
    Cluster cluster{{}};
    cluster.want("t0", 1);
    cluster.want("t1", 1);
    cluster.want("t2", 1);
    require_convergence(cluster, 5s);
    for (const auto& label : cluster.labels()) {
        CHECK(cluster.running_on(label) == 1);
    }
    require_no_violations(cluster);
}

// Goal: a node that joins takes its share. Method: two nodes with two instances each, then a third
// joins, and a fourth.
TEST_CASE("a node that joins gets its share of the work", "[scenario][GO-13][GO-D5][SP-1]") {
    Cluster cluster{{.nodes = 2}};
    for (const auto* task : {"t0", "t1", "t2", "t3"}) {
        cluster.want(task, 1);
    }
    require_convergence(cluster, 5s);
    cluster.add_host("n2");
    CHECK(cluster.run_until([&] { return cluster.running_on("n2") == 1; }, 10s));
    require_convergence(cluster, 10s);
    cluster.add_host("n3");
    CHECK(cluster.run_until([&] { return cluster.running_on("n3") == 1; }, 10s));
    require_convergence(cluster, 10s);
    CHECK(cluster.balanced());
    require_no_violations(cluster);
}

// Goal: a dead host's tasks run elsewhere.
// Method: run three instances on four nodes over a network that breaks connections, then power off
// one host, for many seeds.
TEST_CASE("instances of a dead host are started on the nodes that remain",
          "[scenario][failover][GO-19]") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 4, .loss = 20}};
        cluster.want("web", 3);
        require_convergence(cluster, 60s);
        cluster.kill_host("n1");
        CHECK(cluster.run_until([&] { return cluster.running("web") == 3; }, 90s));
        require_no_violations(cluster);
    }
}

// Goal: a missed poll is not a loss. Method: cut a node off for less than lost_after polls.
TEST_CASE("a node that misses one poll keeps its work", "[scenario][GO-D9]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.run(3s);
    cluster.trace().clear();
    cluster.partition("n1");
    cluster.run(1200ms);
    cluster.heal("n1");
    cluster.run(10s);
    CHECK(cluster.converged());
    CHECK_FALSE(cluster.trace().contains("start"));
    CHECK_FALSE(cluster.trace().contains("stop"));
    require_no_violations(cluster);
}

// Goal: duplicate copies on a returned node are stopped, and the node serves again.
// Method: cut a node off until its work has moved, then heal the cut.
TEST_CASE("a lost node that returns serves again and runs nothing twice",
          "[scenario][SC-D3][GO-11]") {
    Cluster cluster{{}};
    cluster.want("web", 2);
    cluster.want("api", 2);
    require_convergence(cluster, 5s);
    cluster.partition("n0");
    REQUIRE(cluster.run_until([&] { return cluster.converged(); }, 30s));
    CHECK(cluster.running_on("n0") > 0);
    cluster.heal("n0");
    CHECK(cluster.run_until([&] { return cluster.converged() && cluster.balanced(); }, 30s));
    CHECK(cluster.running_on("n0") > 0);
    require_no_violations(cluster);
}

// Goal: an ordered departure is not a failure. Method: stop an agent; check its events and what
// runs.
TEST_CASE("an agent that leaves ends its work, which is started elsewhere",
          "[scenario][departure]") {
    Cluster cluster{{}};
    cluster.want("web", 2);
    require_convergence(cluster, 5s);
    const std::string leaver = cluster.running_on("n0") > 0 ? "n0" : "n1";
    cluster.stop_agent(leaver);
    CHECK(cluster.run_until(
        [&] { return cluster.running_on(leaver) == 0 && cluster.running("web") == 2; }, 60s));
    require_no_violations(cluster);
}

// Goal: killing an agent interrupts a wanted instance for no longer than its restart.
// Method: kill -9 the agent, and restart it before it is called lost.
TEST_CASE("an agent that crashes ends what its last life left, then gets its work back",
          "[scenario][crash]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.crash_agent("n1");
    CHECK(cluster.running_on("n1") == 1);
    cluster.run(500ms);
    cluster.restart_agent("n1");
    require_convergence(cluster, 10s);
    CHECK(cluster.balanced());
    require_no_violations(cluster);
}

// Goal: a cluster without nodes reports everything as unplaced, and nothing breaks.
TEST_CASE("without nodes everything is unplaced, and placed when the first node joins",
          "[scenario][GO-21]") {
    Cluster cluster{{.nodes = 0}};
    cluster.want("web", 1);
    cluster.run(5s);
    CHECK(cluster.converged());
    cluster.add_host("n0");
    CHECK(cluster.run_until([&] { return cluster.running("web") == 1; }, 5s));
    require_no_violations(cluster);
}

// Goal: a node has at most one copy of a task. Method: more instances than nodes, then more nodes.
TEST_CASE("an instance without room is started when a node joins", "[scenario][GO-07][SP-3]") {
    Cluster cluster{{.nodes = 1}};
    cluster.want("web", 2);
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 1);
    cluster.add_host("n1");
    CHECK(cluster.run_until([&] { return cluster.running("web") == 2; }, 10s));
    CHECK(cluster.running_on("n0") == 1);
    require_no_violations(cluster);
}

}  // namespace
}  // namespace muster::sim
