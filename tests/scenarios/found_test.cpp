#include <string>

#include "tests/scenarios/support.hpp"

// Bugs that random runs found, each as a story of its own. The record is docs/record.md.
namespace muster::sim {
namespace {

// Goal: what a silent node may run is not started again before the node is lost (S7).
// Method: the coordinator restarts while one host dies and another is cut off; the work of both is
// placed anew only when they are lost.
TEST_CASE("a new leader judges silent nodes before it places their work again",
          "[scenario][found][S7][S11]") {
    Cluster cluster{{.nodes = 5}};
    cluster.want("web", 3);
    cluster.want("api", 2);
    require_convergence(cluster, 5s);
    cluster.crash_coordinator();
    cluster.kill_host("n2");
    cluster.partition("n3");
    cluster.restart_coordinator();
    require_convergence(cluster, 40s);
    CHECK(cluster.trace().contains("c1 > n2 silent"));
    CHECK(cluster.trace().contains("c1 > n3 silent"));
    cluster.heal("n3");
    CHECK(cluster.settle([&] { return cluster.converged() && cluster.balanced(); }, 30s));
    require_no_violations(cluster);
}

// Goal: a command that comes too late does nothing, also to an agent that never obeyed one.
// Method: the agent cannot write down what its first batch raises, so it drops the batch; it
// answers the next poll; then the batch comes once more.
TEST_CASE("a late double of a batch that was dropped changes nothing", "[scenario][found][S6]") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 2, .late = 800, .disk_fails = 600}};
        cluster.want("web", 2);
        cluster.run(10s);
        cluster.heal_all();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// Goal: a lost node counts again only when it is known what it runs by now (S7).
// Method: an agent sleeps over its orders until it is lost, then carries them out and answers a
// heap of old polls; its tasks change at the same time.
TEST_CASE("a lost node whose answer cannot be applied does not serve yet",
          "[scenario][found][S7][L3]") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        Cluster cluster{
            {.seed = seed, .nodes = 4, .delay = {1ms, 400ms}, .late = 200, .spawn = {1ms, 500ms}}};
        cluster.want("web", 3);
        cluster.want("api", 3);
        cluster.run(4s);
        cluster.pause_agent("n3");
        cluster.want("db", 4);
        cluster.want("cache", 4);
        cluster.run(6s);
        cluster.scale("web", 1);
        cluster.resume_agent("n3");
        cluster.run(500ms);
        cluster.scale("cache", 1);
        cluster.run(300ms);
        cluster.restart("cache");
        cluster.restart("api");
        cluster.run(1s);
        cluster.restart("db");
        cluster.heal_all();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// Goal: a life that begins on a route that was there before gets no order of the last one.
// Method: an agent without its disk is told twice that its number is taken, so it takes two new
// ones in the same session; meanwhile there is always something to order.
TEST_CASE("a new life in the same session gets no order before it has reported",
          "[scenario][found][incarnation]") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .delay = {1ms, 300ms}, .late = 500}};
        cluster.want("web", 3);
        cluster.run(5s);
        cluster.crash_agent("n1");
        cluster.lose_disk("n1");
        cluster.run(5s);
        cluster.restart_agent("n1");
        for (std::uint32_t change = 0; change < 10; ++change) {
            cluster.want("task-" + std::to_string(change), 3);
            cluster.run(400ms);
        }
        cluster.heal_all();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// Goal: a roll-out that may take nothing down uses whatever room there is.
// Method: two copies on one node, one on the other; the one free place is beside web.0, so it is
// good for web.1 or web.2 alone.
TEST_CASE("a roll-out begins with the instance that has room to surge",
          "[scenario][found][rollout]") {
    TaskSpec spec = serving();
    spec.max_per_node = 2;
    spec.update = UpdatePolicy{.max_surge = 1, .max_unavailable = 0};
    Cluster cluster{{.nodes = 2}};
    cluster.want("web", 3, spec);
    require_convergence(cluster, 5s);
    cluster.run(2s);
    for (int time = 0; time < 4; ++time) {
        cluster.restart("web");
        require_convergence(cluster, 30s);
        cluster.run(2s);
    }
    require_no_violations(cluster);
}

// Goal: max_per_node holds also for copies that were there before it was lowered.
// Method: four instances on two nodes with two on each; then one on each is allowed.
TEST_CASE("copies above a lowered max_per_node leave their node", "[scenario][found][rollout]") {
    TaskSpec spec = serving();
    spec.max_per_node = 2;
    Cluster cluster{{.nodes = 2}};
    cluster.want("web", 4, spec);
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 4);
    spec.max_per_node = 1;
    cluster.want("web", 4, spec);
    require_convergence(cluster, 30s);
    CHECK(cluster.running_on("n0") == 1);
    CHECK(cluster.running_on("n1") == 1);
    cluster.add_host("n2");
    CHECK(cluster.settle([&] { return cluster.running("web") == 3; }, 10s));
    require_no_violations(cluster);
}

// Goal: orders of a new record are above those that its agent has seen in this leadership.
// Method: a node has got some, is removed, and joins again in the same life.
TEST_CASE("a node that was removed and joins again is given orders that it obeys",
          "[scenario][found]") {
    Cluster cluster{{.nodes = 2}};
    cluster.want("web", 2);
    require_convergence(cluster, 5s);
    for (int time = 0; time < 3; ++time) {
        cluster.restart("web");
        require_convergence(cluster, 20s);
    }
    cluster.partition("n0");
    cluster.run(10s);
    cluster.ask(NodeRemoveRequest{.pattern = "n0", .force = true});
    cluster.run(2s);
    cluster.heal("n0");
    cluster.run(10s);
    cluster.restart("web");
    require_convergence(cluster, 30s);
    CHECK(cluster.running_on("n0") == 1);
    require_no_violations(cluster);
}

// Goal: agent and coordinator may be restarted in one moment, as by an upgrade, and no task
// notices.
TEST_CASE("a new leader waits for a node that left work behind", "[scenario][found][death]") {
    Cluster cluster{{.nodes = 3}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    const auto before = cluster.truth().processes();
    cluster.leave_agent("n0");
    cluster.run(500ms);
    cluster.crash_coordinator();
    cluster.run(500ms);
    cluster.restart_coordinator();
    cluster.run(8s);
    cluster.restart_agent("n0");
    require_convergence(cluster, 20s);
    cluster.run(30s);
    CHECK(cluster.truth().processes() == before);
    require_no_violations(cluster);
}

}  // namespace
}  // namespace muster::sim
