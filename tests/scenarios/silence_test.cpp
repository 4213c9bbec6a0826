#include <string>
#include <vector>

#include "tests/scenarios/support.hpp"

// With a coordinator's default options a short silence costs nothing.
namespace muster::sim {
namespace {

constexpr std::uint64_t tried = 20;

ClusterOptions by_default(std::uint64_t seed, std::uint32_t nodes = 5) {
    ClusterOptions options{.seed = seed, .nodes = nodes, .delay = {1ms, 50ms}};
    options.coordinator = {};
    return options;
}

/// A task that can have several instances on one node.
void want(Cluster& cluster, const std::string& task, std::uint32_t instances) {
    TaskSpec spec = serving();
    spec.max_per_node = 8;
    cluster.want(task, instances, spec);
}

/// Waits until the cluster has converged and each node has served long enough to be counted.
void serve_for_a_while(Cluster& cluster) {
    want(cluster, "web", 10);
    want(cluster, "db", 3);
    require_convergence(cluster, 10s);
    cluster.run(20s);
    cluster.trace().clear();
}

void require_nothing_moved(Cluster& cluster) {
    CHECK(cluster.converged());
    CHECK_FALSE(cluster.trace().contains("start"));
    CHECK_FALSE(cluster.trace().contains("stop"));
    CHECK_FALSE(cluster.trace().contains("lost"));
    require_no_violations(cluster);
}

std::string detail_of(Cluster& cluster, std::string_view node) {
    const std::size_t asked = cluster.ask(TaskShowRequest{"web"});
    cluster.run(10ms);
    const auto& reply = std::get<TaskShowReply>(cluster.answer(asked).value().result.value());
    for (const InstanceView& instance : reply.instances) {
        if (instance.node == node) {
            return instance.detail;
        }
    }
    return "none is there";
}

}  // namespace

// Goal: a live migration is not a loss. Method: pause a host for 5 s.
TEST_CASE("a node that pauses for five seconds costs no instance its place",
          "[scenario][silence]") {
    for (std::uint64_t seed = 1; seed <= tried; ++seed) {
        CAPTURE(seed);
        Cluster cluster{by_default(seed)};
        serve_for_a_while(cluster);
        cluster.halt_host("n1");
        cluster.run(5s);
        CHECK(cluster.status().value().silent == 1);
        cluster.resume_host("n1");
        cluster.run(30s);
        CHECK(cluster.status().value().silent == 0);
        require_nothing_moved(cluster);
    }
}

// Goal: storage that stalls for all hosts at once causes no loss. Method: pause all of them.
TEST_CASE("nodes that all pause for five seconds cost no instance its place",
          "[scenario][silence]") {
    for (std::uint64_t seed = 1; seed <= tried; ++seed) {
        CAPTURE(seed);
        Cluster cluster{by_default(seed)};
        serve_for_a_while(cluster);
        for (const std::string& label : cluster.labels()) {
            cluster.halt_host(label);
        }
        cluster.run(5s);
        CHECK(cluster.is_frozen());
        for (const std::string& label : cluster.labels()) {
            cluster.resume_host(label);
        }
        cluster.run(30s);
        CHECK_FALSE(cluster.is_frozen());
        require_nothing_moved(cluster);
    }
}

// Goal: a coordinator that pauses suspects no node. Method: pause it for 5 s.
TEST_CASE("a coordinator that pauses for five seconds costs no instance its place",
          "[scenario][silence]") {
    for (std::uint64_t seed = 1; seed <= tried; ++seed) {
        CAPTURE(seed);
        Cluster cluster{by_default(seed)};
        serve_for_a_while(cluster);
        cluster.pause_coordinator();
        cluster.run(5s);
        cluster.resume_coordinator();
        cluster.run(30s);
        require_nothing_moved(cluster);
    }
}

// Goal: nothing new is placed on a node that may be gone. Method: pause a host. Once it is silent,
// two tasks are wanted that would use it; then resume it and want one more.
TEST_CASE("a silent node gets nothing new until it answers", "[scenario][silence]") {
    for (std::uint64_t seed = 1; seed <= tried; ++seed) {
        CAPTURE(seed);
        Cluster cluster{by_default(seed, 3)};
        serve_for_a_while(cluster);
        const std::size_t before = cluster.running_on("n1");
        cluster.halt_host("n1");
        cluster.run(4500ms);
        CHECK(detail_of(cluster, "n1").starts_with("unconfirmed: its node is silent for "));
        CHECK(detail_of(cluster, "n2").empty());
        CHECK(cluster.status().value().unconfirmed == before);
        want(cluster, "api", 3);
        want(cluster, "cache", 3);
        cluster.run(2s);
        CHECK(cluster.running("api") + cluster.running("cache") == 6);
        CHECK(cluster.running_on("n1") == before);
        cluster.resume_host("n1");
        cluster.run(2s);
        CHECK(cluster.status().value().unconfirmed == 0);
        want(cluster, "late", 2);
        cluster.run(3s);
        CHECK(cluster.running_on("n1") == before + 2);
        CHECK_FALSE(cluster.trace().contains("lost"));
        require_no_violations(cluster);
    }
}

// Goal: mass silence is judged before any node is lost. Method: in a cluster without silence, pause
// three of five hosts for longer than a node may be silent.
TEST_CASE("silent nodes begin a freeze before one of them is lost", "[scenario][silence]") {
    for (std::uint64_t seed = 1; seed <= tried; ++seed) {
        CAPTURE(seed);
        Cluster cluster{by_default(seed)};
        serve_for_a_while(cluster);
        for (const auto* label : {"n0", "n2", "n4"}) {
            cluster.halt_host(label);
        }
        cluster.run(4500ms);
        CHECK(cluster.is_frozen());
        cluster.run(20s);
        CHECK_FALSE(cluster.trace().contains("lost"));
        for (const auto* label : {"n0", "n2", "n4"}) {
            cluster.resume_host(label);
        }
        cluster.run(30s);
        CHECK_FALSE(cluster.is_frozen());
        require_no_violations(cluster);
    }
}

// Goal: a node that is really gone is still given up. Method: power off a host.
TEST_CASE("a node that stays silent is lost, and its work starts elsewhere",
          "[scenario][silence]") {
    Cluster cluster{by_default(1)};
    serve_for_a_while(cluster);
    cluster.kill_host("n1");
    cluster.run(8s);
    CHECK_FALSE(cluster.trace().contains("lost"));
    cluster.run(8s);
    CHECK(cluster.trace().contains("n1 silent for 10 polls -> lost"));
    CHECK(cluster.running("web") == 10);
    CHECK(cluster.running("db") == 3);
    require_no_violations(cluster);
}

// Goal: a restart of the coordinator is not a reason to move anything. Method: a node joins and
// gets nothing that runs; restart the coordinator before it would move any, and later.
TEST_CASE("a leadership moves nothing for the balance in its first move_cooldown",
          "[scenario][silence]") {
    Cluster cluster{by_default(1, 2)};
    want(cluster, "web", 8);
    require_convergence(cluster, 10s);
    cluster.add_host("n2");
    cluster.run(4min);
    CHECK(cluster.running_on("n2") == 0);
    cluster.crash_coordinator();
    cluster.restart_coordinator();
    cluster.run(290s);
    CHECK(cluster.running_on("n2") == 0);
    cluster.run(30s);
    CHECK(cluster.running_on("n2") == 2);
    require_no_violations(cluster);
}

// Goal: an operator need not wait for the cooldown. Method: the same, with a requested rebalance.
TEST_CASE("a requested rebalance moves at once in a new leadership", "[scenario][silence]") {
    Cluster cluster{by_default(1, 2)};
    want(cluster, "web", 4);
    want(cluster, "db", 4);
    require_convergence(cluster, 10s);
    cluster.add_host("n2");
    cluster.run(10s);
    CHECK(cluster.running_on("n2") == 0);
    cluster.ask(RebalanceRequest{});
    cluster.run(20s);
    CHECK(cluster.running_on("n2") > 0);
    require_no_violations(cluster);
}

}  // namespace muster::sim
