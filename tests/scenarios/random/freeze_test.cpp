#include <cstdint>
#include <string>

#include "sim/faults/chaos.hpp"
#include "tests/scenarios/support.hpp"

// Many hosts fall silent at once.
namespace muster::sim {
namespace {

std::string label(int host) { return "n" + std::to_string(host); }

ClusterOptions hosts(std::uint32_t nodes, std::uint64_t seed = 1) {
    ClusterOptions options;
    options.nodes = nodes;
    options.seed = seed;
    return options;
}

std::size_t processes(const Cluster& cluster) { return cluster.truth().processes().size(); }

// Goal: a failed switch moves nothing (S9), and everything is well when it is back (L11).
// Method: cut this number of twenty hosts off for a minute.
TEST_CASE("a mass partition reschedules nothing, and heals without a trace",
          "[scenario][freeze][S9][L11]") {
    for (const int cut : {5, 6, 11, 20}) {
        CAPTURE(cut);
        Cluster cluster{hosts(20)};
        cluster.want("web", 20);
        cluster.want("api", 10);
        cluster.run(15s);
        require_convergence(cluster, 10s);
        for (int host = 0; host < cut; ++host) {
            cluster.partition(label(host));
        }
        cluster.run(60s);
        CHECK(cluster.is_frozen());
        CHECK(processes(cluster) == 30);
        for (int host = 0; host < cut; ++host) {
            cluster.heal(label(host));
        }
        CHECK(cluster.converges());
        CHECK_FALSE(cluster.is_frozen());
        CHECK(processes(cluster) == 30);
        require_no_violations(cluster);
    }
}

TEST_CASE("a partition of a few hosts moves their work", "[scenario][freeze]") {
    for (const int cut : {1, 2, 4}) {
        CAPTURE(cut);
        Cluster cluster{hosts(20)};
        cluster.want("web", 16);
        cluster.run(15s);
        for (int host = 0; host < cut; ++host) {
            cluster.partition(label(host));
        }
        cluster.run(30s);
        CHECK_FALSE(cluster.is_frozen());
        CHECK(cluster.running("web") == 16);
        require_no_violations(cluster);
    }
}

// Goal: a coordinator that restarts during a mass partition does not take the connected nodes for
// all nodes.
// Method: kill it while half of the hosts are cut off, and let it lead again for long.
TEST_CASE("a freeze outlasts the coordinator that began it", "[scenario][freeze][S9][S11]") {
    Cluster cluster{hosts(6)};
    cluster.want("web", 6);
    cluster.run(15s);
    for (int host = 0; host < 3; ++host) {
        cluster.partition(label(host));
    }
    cluster.run(15s);
    REQUIRE(cluster.is_frozen());
    cluster.crash_coordinator();
    cluster.restart_coordinator();
    cluster.run(60s);
    CHECK(cluster.is_frozen());
    CHECK(processes(cluster) == 6);
    cluster.want("api", 2);
    CHECK(cluster.run_until([&] { return cluster.running("api") == 2; }, 10s));
    for (int host = 0; host < 3; ++host) {
        cluster.heal(label(host));
    }
    CHECK(cluster.converges());
    CHECK(processes(cluster) == 8);
    require_no_violations(cluster);
}

// Goal: an operator who knows that hosts are gone can end the freeze, and the work runs elsewhere.
// Method: remove four of ten hosts at once for good.
TEST_CASE("freeze off gives up hosts that are gone for good", "[scenario][freeze][L11]") {
    Cluster cluster{hosts(10)};
    cluster.want("web", 6);
    cluster.run(15s);
    for (int host = 0; host < 4; ++host) {
        cluster.scrap_host(label(host));
    }
    cluster.run(30s);
    REQUIRE(cluster.is_frozen());
    const std::size_t left = cluster.running("web");
    CHECK(left < 6);
    cluster.ask(FreezeOffRequest{{.reason = "burnt", .author = "ann"}});
    CHECK(cluster.run_until([&] { return cluster.running("web") == 6; }, 15s));
    CHECK(cluster.converges());
    require_no_violations(cluster);
}

// Goal: mass silence among all other faults breaks no promise, and ends (L11).
// Method: random faults; in the middle this number of hosts is cut off at once.
TEST_CASE("a mass partition during random faults breaks no promise, and ends",
          "[scenario][freeze][random][S9][L11]") {
    for (std::uint64_t seed = 1; seed <= share_of(60); ++seed) {
        CAPTURE(seed);
        const FaultSet faults = FaultSet::drawn(seed).without(Fault::stores);
        Cluster cluster{random_options(seed, 4 + static_cast<std::uint32_t>(seed % 5), faults)};
        Chaos chaos{cluster, seed, faults};
        chaos.run(12s);
        const std::vector<std::string> labels = cluster.labels();
        for (std::size_t host = 0; host < labels.size() * (1 + seed % 4) / 4; ++host) {
            cluster.partition(labels[host]);
        }
        cluster.run(10s);
        chaos.run(15s);
        chaos.heal();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

}  // namespace
}  // namespace muster::sim
