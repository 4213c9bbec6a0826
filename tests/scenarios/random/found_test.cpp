#include <string>

#include "tests/scenarios/support.hpp"

// Bugs that random runs found, each as a separate story. docs/internals/bugs.md lists them.
namespace muster::sim {
namespace {

// Goal: what a silent node may run is not started again before the node is lost (S7).
// Method: the coordinator restarts while one host dies and another is cut off. The work of both is
// placed again only when they are lost.
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
    CHECK(cluster.run_until([&] { return cluster.converged() && cluster.balanced(); }, 30s));
    require_no_violations(cluster);
}

// Goal: a command that arrives too late does nothing, even at an agent that never obeyed one.
// Method: the agent cannot persist the epoch of its first batch and drops it. It answers the next
// poll; then the batch arrives again.
TEST_CASE("a late duplicate of a batch that was dropped changes nothing", "[scenario][found][S6]") {
    for (std::uint64_t seed = 1; seed <= share_of(100); ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 2, .late = 800, .disk_fails = 600}};
        cluster.want("web", 2);
        cluster.run(10s);
        cluster.heal_all();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// Goal: a lost node counts again only when its present instances are known (S7).
// Method: an agent pauses before it handles its orders until it is lost, then executes them and
// answers many old polls. Its tasks change at the same time.
TEST_CASE("a lost node whose answer cannot be applied does not serve yet",
          "[scenario][found][S7][L3]") {
    for (std::uint64_t seed = 1; seed <= share_of(300); ++seed) {
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

// Goal: a life that begins on an existing connection gets no order of the previous life.
// Method: an agent without its disk learns twice that its incarnation is taken, so it takes two new
// ones in the same session. Meanwhile there is always something to order.
TEST_CASE("a new life in the same session gets no order before it has reported",
          "[scenario][found][incarnation]") {
    for (std::uint64_t seed = 1; seed <= share_of(200); ++seed) {
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

// Goal: a roll-out that cannot take an instance down uses any free place.
// Method: two copies on one node, one on the other. The one free place is beside web.0, so only
// web.1 or web.2 can use it.
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

// Goal: max_per_node also applies to copies that were there before it was lowered.
// Method: four instances on two nodes with two on each; then only one on each is allowed.
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
    CHECK(cluster.run_until([&] { return cluster.running("web") == 3; }, 10s));
    require_no_violations(cluster);
}

// Goal: the sequence numbers of a new record are above those that its agent saw in this leadership.
// Method: a node gets orders, is removed, and joins again in the same life.
TEST_CASE("a node that was removed and joins again gets orders that it obeys",
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

// Goal: agent and coordinator can restart at the same moment, as in an upgrade, without an effect
// on tasks.
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

// Goal: places that a blocked roll-out will need later are free for instances that can run now.
// Method: a node returns with an old copy whose replacement failed elsewhere, so the missing
// instance has no room. Another task suits only that node.
TEST_CASE("a blocked roll-out keeps no place from other tasks", "[scenario][found][L1]") {
    Cluster cluster{{.nodes = 2}};
    Offer offer;
    offer.capacity.slots = 2;
    cluster.add_host("m0", offer);
    WantedTask db{"db", 2, serving(), {}};
    db.spec.update.max_surge = 0;
    db.place.constraints.push_back(*parse_constraint("node in (n0, m0)"));
    cluster.ask(ApplyRequest{.tasks = {db}});
    require_convergence(cluster, 5s);
    cluster.partition("m0");
    CHECK(cluster.run_until([&] { return cluster.trace().contains("c1 > m0 silent"); }, 10s));
    db.instances = 3;
    db.spec.argv = {"missing"};
    db.place.constraints.clear();
    cluster.ask(ApplyRequest{.tasks = {db}});
    cluster.run(5s);
    cluster.heal("m0");
    cluster.run(10s);
    REQUIRE(cluster.running("db") == 2);
    WantedTask web{"web", 1, serving(), {}};
    web.place.constraints.push_back(*parse_constraint("node = m0"));
    cluster.ask(ApplyRequest{.tasks = {web}});
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 1);
    require_no_violations(cluster);
}

// Goal: a failed spawn leaves nothing that needs an order to end (S12).
// Method: kill the agent around the time at which it records the failed spawn.
TEST_CASE("an agent cleans up what it finds of a failed spawn", "[scenario][found][S12]") {
    for (std::uint64_t seed = 1; seed <= share_of(100); ++seed) {
        CAPTURE(seed);
        Cluster cluster{{.seed = seed, .nodes = 1, .disk = {1ms, 50ms}}};
        TaskSpec spec = serving();
        spec.argv = {"missing"};
        cluster.want("web", 1, spec);
        const auto was_tried = [&] { return cluster.trace().contains("cannot run web.0"); };
        REQUIRE(cluster.run_until(was_tried, 5s));
        cluster.run(std::chrono::milliseconds{seed});
        cluster.crash_agent("n0");
        cluster.restart_agent("n0");
        cluster.run(5s);
        require_no_violations(cluster);
    }
}

// Goal: a node whose only connection carried another life has no connection, and is lost as any
// node without one (S11).
// Method: a node has just joined and receives nothing more; then a hello of another life arrives on
// its connection.
TEST_CASE("a connection on which another life spoke is not the node's connection",
          "[scenario][found][S11]") {
    Cluster cluster{{.nodes = 2}};
    cluster.run(20s);
    cluster.add_host("m0");
    REQUIRE(cluster.run_until([&] { return cluster.trace().contains("c1 > m0 welcome"); }, 5s));
    Hello hello;
    hello.name = "m0";
    hello.life = LifeId{9, 9};
    hello.incarnation = Incarnation{1};
    cluster.forge_from("m0", hello);
    cluster.run(0s);
    cluster.cut("m0", Side::agent);  // It does not receive the refusal.
    CHECK(cluster.run_until([&] { return cluster.trace().contains("c1 > m0 silent"); }, 10s));
    cluster.heal("m0");
    CHECK(cluster.run_until([&] { return cluster.trace().contains("c1 > m0 answered"); }, 30s));
    require_no_violations(cluster);
}
}  // namespace
}  // namespace muster::sim
