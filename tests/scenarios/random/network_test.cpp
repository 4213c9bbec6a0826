#include <cstdint>
#include <string>

#include "tests/scenarios/support.hpp"

// Networks that lose, delay, duplicate and cut: each kind over 200 seeds, with sanitizers over 20.
namespace muster::sim {
namespace {

// The same story under every kind of network: tasks are added, changed, moved and scaled down
// during the network faults. After the faults the cluster converges.
void live_through(const ClusterOptions& options) {
    CAPTURE(options.seed);
    Cluster cluster{options};
    cluster.want("web", 3);
    cluster.want("api", 2);
    cluster.run(8s);
    cluster.want("db", 2);
    cluster.scale("web", 2);
    cluster.run(6s);
    cluster.restart("api");
    cluster.run(6s);
    cluster.remove("db");
    cluster.run(2s);
    cluster.heal_all();
    CHECK(cluster.converges());
    require_no_violations(cluster);
}

TEST_CASE("a cluster converges although connections break", "[scenario][network][L1]") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        live_through({.seed = seed, .loss = 50});
    }
}

TEST_CASE("a cluster converges although three messages in ten vanish", "[scenario][network][L1]") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        live_through({.seed = seed, .drop = 300});
    }
}

// Goal: duplicate and late commands do nothing (GO-D11). Method: one message in two arrives again,
// up to five seconds later, out of order and in whichever session exists then.
TEST_CASE("messages that arrive twice and late change nothing", "[scenario][network][S6][GO-D11]") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        live_through({.seed = seed, .loss = 10, .late = 500});
    }
}

TEST_CASE("a cluster converges although messages take up to half a second",
          "[scenario][network][L1]") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        live_through({.seed = seed, .delay = {1ms, 500ms}, .drop = 50});
    }
}

TEST_CASE("clients that repeat a request get their change made once", "[scenario][network][S3]") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        live_through({.seed = seed, .drop = 50, .client_loss = 500});
    }
}

// Goal: the cluster converges after a cut in any direction, of any length.
// Method: cut random nodes in random directions repeatedly, then heal.
TEST_CASE("a cluster converges after cuts of any direction and length",
          "[scenario][network][partition][L1]") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        Random random{seed};
        Cluster cluster{{.seed = seed, .nodes = 4}};
        cluster.want("web", 3);
        cluster.want("api", 2);
        cluster.run(3s);
        for (int cut = 0; cut < 6; ++cut) {
            const std::string label = "n" + std::to_string(random.below(4));
            switch (random.below(4)) {
                case 0: cluster.partition(label); break;
                case 1: cluster.cut(label, Side::agent); break;
                case 2: cluster.cut(label, Side::coordinator); break;
                default: cluster.heal(label); break;
            }
            cluster.run(std::chrono::milliseconds{random.below(6000)});
        }
        cluster.heal_all();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// Goal: silence is not an order. Method: cut every node off from the coordinator for five minutes.
TEST_CASE("tasks keep running while the coordinator cannot be reached",
          "[scenario][network][S12]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    for (const auto& label : cluster.labels()) {
        cluster.partition(label);
    }
    cluster.trace().clear();
    cluster.run(300s);
    for (const auto& label : cluster.labels()) {
        CHECK(cluster.running_on(label) == 1);
    }
    REQUIRE(cluster.end_process({"web", 1}, 1));
    cluster.run(5s);
    for (const auto& label : cluster.labels()) {
        CHECK(cluster.running_on(label) == 1);  // Its agent started it again.
    }
    cluster.heal_all();
    CHECK(cluster.converges());
    require_no_violations(cluster);
}

}  // namespace
}  // namespace muster::sim
