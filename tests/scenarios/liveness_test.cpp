#include "tests/catch.hpp"

#include "sim/model/cluster.hpp"

namespace muster::sim {
namespace {

// Goal: the liveness checker can fail, too. Method: pause the coordinator after all faults ended;
// the cluster does not converge.
TEST_CASE("a cluster that does not converge breaks L1", "[checkers][L1]") {
    Cluster cluster{{}};
    cluster.run(30s);
    cluster.heal_all();
    cluster.pause_coordinator();
    cluster.want("web", 2);
    CHECK_FALSE(cluster.converges());
    REQUIRE(cluster.violations().size() == 1);
    CHECK(cluster.violations().front().starts_with("L1"));
}

// Goal: moves that wait for each other because of max_surge do not count as slow.
// Method: eight moves of one task, one at a time, of processes that take three seconds to end.
TEST_CASE("moves that wait for each other keep L1", "[checkers][L1]") {
    TaskSpec spec = serving();
    spec.max_per_node = 16;
    Cluster cluster{{.nodes = 1, .dying = {3s, 3s}}};
    cluster.want("web", 16, spec);
    cluster.run(30s);
    cluster.add_host("n1");
    cluster.heal_all();
    CHECK(cluster.converges());
    CHECK(cluster.running_on("n1") == 8);
    CHECK(cluster.violations().empty());
}

}  // namespace
}  // namespace muster::sim
