#include <cstdint>
#include <string>

#include "tests/scenarios/support.hpp"

// The coordinator and its store: restarts, crashes, failures.
namespace muster::sim {
namespace {

// Goal: the coordinator's death affects no task. Method: kill it, wait, restart it; no process
// begins or ends.
TEST_CASE("a restarted coordinator touches no process", "[scenario][coordinator][S11][S12]") {
    for (const Duration away : {10ms, 2000ms, 60000ms}) {
        CAPTURE(to_ms(away));
        Cluster cluster{{.nodes = 4}};
        cluster.want("web", 4);
        cluster.want("api", 2);
        require_convergence(cluster, 5s);
        const auto before = cluster.truth().processes();
        cluster.crash_coordinator();
        cluster.run(away);
        cluster.restart_coordinator();
        cluster.run(30s);
        CHECK(cluster.truth().processes() == before);
        CHECK(cluster.converged());
        require_no_violations(cluster);
    }
}

// Goal: acknowledged changes survive the coordinator's death at any moment (S1 to S3).
// Method: kill it at its k-th commit, for every k of the story; half of the commits are durable.
TEST_CASE("a coordinator that dies at any commit loses nothing it acknowledged",
          "[scenario][coordinator][S1][S2][S3]") {
    for (std::uint64_t commit = 1; commit <= 12; ++commit) {
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            CAPTURE(commit, seed);
            Cluster cluster{{.seed = seed, .commit = {5ms, 20ms}}};
            cluster.crash_at_commit(commit);
            cluster.want("web", 2);
            cluster.run(1s);
            cluster.want("api", 2);
            cluster.scale("web", 3);
            cluster.run(1s);
            cluster.restart("api");
            cluster.remove("web");
            cluster.run(1s);
            if (!cluster.coordinator_is_up()) {
                cluster.restart_coordinator();
            }
            cluster.heal_all();
            CHECK(cluster.converges());
            CHECK(cluster.running("api") == 2);
            CHECK(cluster.running("web") == 0);
            require_no_violations(cluster);
        }
    }
}

// Goal: a failed store ends the leadership, and nothing is acknowledged.
// Method: let the next commit fail; the client asks again, and the next leadership serves it.
TEST_CASE("a failed store answers with an error, and the next leadership makes the change",
          "[scenario][coordinator][store][S1]") {
    Cluster cluster{{}};
    cluster.want("web", 1);
    require_convergence(cluster, 5s);
    cluster.fail_store();
    cluster.trace().clear();
    const auto question = cluster.scale("web", 3);
    cluster.run(200ms);
    CHECK(cluster.trace().contains("c1 > op 1 store_failed"));
    CHECK_FALSE(cluster.coordinator_is_up());
    CHECK_FALSE(cluster.answer(question).has_value());
    CHECK(cluster.running("web") == 1);
    require_convergence(cluster, 40s);
    CHECK(cluster.running("web") == 3);
    require_no_violations(cluster);
}

// Goal: a retry is not a second change (S3). Method: scale, then scale again, then repeat the first
// request, also after a restart of the coordinator.
TEST_CASE("a repeated request takes effect once", "[scenario][coordinator][S3]") {
    Cluster cluster{{}};
    cluster.want("web", 1);
    const auto first = cluster.scale("web", 2);
    require_convergence(cluster, 5s);
    cluster.scale("web", 3);
    require_convergence(cluster, 5s);
    cluster.repeat(first);
    cluster.run(3s);
    CHECK(cluster.running("web") == 3);
    cluster.crash_coordinator();
    cluster.restart_coordinator();
    cluster.run(30s);
    cluster.repeat(first);
    cluster.run(3s);
    CHECK(cluster.running("web") == 3);
    require_no_violations(cluster);
}

// Goal: a coordinator that was paused suspects no node. Method: pause it for a minute.
TEST_CASE("a coordinator that was paused calls no node lost", "[scenario][coordinator][S10]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.run(5s);
    const auto before = cluster.truth().processes();
    cluster.trace().clear();
    cluster.pause_coordinator();
    cluster.run(60s);
    cluster.resume_coordinator();
    cluster.run(20s);
    CHECK_FALSE(cluster.trace().contains("-> lost"));
    CHECK(cluster.truth().processes() == before);
    require_no_violations(cluster);
}

}  // namespace
}  // namespace muster::sim
