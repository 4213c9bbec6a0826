#include "tests/catch.hpp"

#include "sim/cluster.hpp"

namespace muster::sim {
namespace {

// Goal: the judgement on liveness can fail, too. Method: a coordinator that is paused after all
// faults ended; wanted is not actual.
TEST_CASE("a cluster that does not come to rest breaks L1", "[checkers][L1]") {
    Cluster cluster{{}};
    cluster.run(30s);
    cluster.heal_all();
    cluster.pause_coordinator();
    cluster.want("web", 2);
    CHECK_FALSE(cluster.converges());
    REQUIRE(cluster.violations().size() == 1);
    CHECK(cluster.violations().front().starts_with("L1"));
}

}  // namespace
}  // namespace muster::sim
