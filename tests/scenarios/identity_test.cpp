#include "tests/scenarios/support.hpp"

// Names, lives and incarnations.
namespace muster::sim {
namespace {

// Goal: a second agent with the same name harms nothing. Method: start one beside the first.
TEST_CASE("a second agent of a name is refused and the first is unaffected",
          "[scenario][name][S18]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.run(2s);
    cluster.trace().clear();
    cluster.add_twin("n1");
    cluster.run(20s);
    CHECK(cluster.trace().contains("c1 > n1' refused, name_in_use"));
    CHECK(cluster.running_on("n1'") == 0);
    CHECK(cluster.running_on("n1") == 1);
    CHECK_FALSE(cluster.trace().contains("start"));
    require_no_violations(cluster);
}

// Goal: a replaced machine takes its name over. Method: kill the first host, then start another
// with its name, whose incarnations begin at the start again.
TEST_CASE("a name returns with a new life after its host died", "[scenario][name][SC-D12]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.kill_host("n1");
    cluster.run(2s);
    cluster.add_twin("n1");
    CHECK(cluster.run_until([&] { return cluster.converged() && cluster.running_on("n1'") == 1; },
                            40s));
    require_no_violations(cluster);
}

// Goal: an agent that lost its disk is not rejected. Method: replace its disk while it is down.
TEST_CASE("an agent that lost its disk takes a higher incarnation and serves",
          "[scenario][name][incarnation]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.crash_agent("n1");
    cluster.restart_agent("n1");
    cluster.run(10s);
    cluster.crash_agent("n1");
    cluster.lose_disk("n1");
    cluster.trace().clear();
    cluster.restart_agent("n1");
    cluster.run(10s);
    require_convergence(cluster, 20s);
    CHECK(cluster.running_on("n1") == 1);
    CHECK(cluster.trace().contains("c1 > n1 refused, stale_incarnation"));
    require_no_violations(cluster);
}

// Goal: reboots during normal work are survived. Method: power off each host in turn and restart
// it, before or after the coordinator notices.
TEST_CASE("hosts that are rebooted one after another get their work back", "[scenario][reboot]") {
    for (const Duration down : {100ms, 2000ms, 5000ms, 20000ms}) {
        CAPTURE(to_ms(down));
        Cluster cluster{{.nodes = 4}};
        cluster.want("web", 4);
        cluster.want("api", 2);
        require_convergence(cluster, 5s);
        for (const auto& label : cluster.labels()) {
            cluster.kill_host(label);
            cluster.run(down);
            cluster.boot_host(label);
            CHECK(
                cluster.run_until([&] { return cluster.converged() && cluster.balanced(); }, 40s));
        }
        require_no_violations(cluster);
    }
}

}  // namespace
}  // namespace muster::sim
