#include <algorithm>
#include <map>
#include <string>

#include "tests/scenarios/support.hpp"

// Releases that do not stay up, and jobs that run once.
namespace muster::sim {
namespace {

/// A process that ends by itself after this number of milliseconds.
TaskSpec ends_after(int exit_code, const std::string& ms, RestartPolicy policy) {
    TaskSpec spec = serving();
    spec.argv = {"exit", std::to_string(exit_code), ms};
    spec.restart.policy = policy;
    return spec;
}

std::map<Generation, std::size_t> by_generation(const Cluster& cluster, const std::string& task) {
    std::map<Generation, std::size_t> counts;
    for (const Process* process : cluster.truth().of(task)) {
        ++counts[process->generation];
    }
    return counts;
}

/// The number of started processes of the task, from events.
std::size_t begun(Cluster& cluster, const std::string& task) {
    const std::string all = cluster.trace().last(100'000);
    const std::string start = "start " + task + ".";
    std::size_t count = 0;
    for (auto at = all.find(start); at != std::string::npos; at = all.find(start, at + 1)) {
        ++count;
    }
    return count;
}

}  // namespace

// Goal: with default options a bad release costs at most one copy of 20.
// Method: a process that ends after 2.5 s; five minutes; with a spare node, and without.
TEST_CASE("a release that crashes after 2.5 s replaces one copy of 20 at most",
          "[scenario][tasks][rollout]") {
    for (const std::uint32_t nodes : {20U, 21U}) {
        CAPTURE(nodes);
        Cluster cluster{{.nodes = nodes}};
        cluster.want("web", 20);
        require_convergence(cluster, 10s);
        cluster.run(15s);
        const auto before = by_generation(cluster, "web");
        REQUIRE(before.size() == 1);
        cluster.want("web", 20, ends_after(1, "2500", RestartPolicy::always));
        std::size_t least = 20;
        for (int second = 0; second < 300; ++second) {
            cluster.run(1s);
            const auto now = by_generation(cluster, "web");
            const auto old = now.find(before.begin()->first);
            least = std::min(least, old == now.end() ? 0 : old->second);
        }
        CHECK(least >= 19);
        const auto status = cluster.status();
        REQUIRE(status);
        REQUIRE_FALSE(status->alarms.empty());
        CHECK_THAT(status->alarms.back(), Catch::Contains("the roll-out is halted: web."));
        require_no_violations(cluster);

        cluster.want("web", 20);  // The earlier version.
        const bool done = cluster.run_until([&] { return cluster.converged(); }, 600s);
        CHECK(done);
        require_no_violations(cluster);
    }
}

// Goal: a good release is rolled out completely. Method: default options; each copy takes its 10 s.
TEST_CASE("a release that stays up replaces every copy in turn", "[scenario][tasks][rollout]") {
    Cluster cluster{{.nodes = 4}};
    cluster.want("web", 4);
    require_convergence(cluster, 5s);
    TaskSpec next = serving();
    next.argv.push_back("version-2");
    cluster.want("web", 4, next);
    CHECK_FALSE(cluster.run_until([&] { return cluster.converged(); }, 30s));
    require_convergence(cluster, 60s);
    require_no_violations(cluster);
}

// Goal: finished work stays finished, whatever happens to its host, its agent's disk and the
// coordinator. Method: five jobs that succeed; then each of these.
TEST_CASE("an instance that ended successfully runs again neither elsewhere nor under a new leader",
          "[scenario][tasks][ends]") {
    Cluster cluster{{.nodes = 5}};
    cluster.want("job", 5, ends_after(0, "700", RestartPolicy::on_failure));
    cluster.run(10s);
    REQUIRE(cluster.store().ends.size() == 1);
    const std::size_t starts = begun(cluster, "job");

    cluster.scrap_host("n0");
    cluster.crash_agent("n1");
    cluster.lose_disk("n1");
    cluster.restart_agent("n1");
    cluster.run(30s);
    CHECK(begun(cluster, "job") == starts);
    cluster.crash_coordinator();
    cluster.restart_coordinator();
    cluster.run(120s);
    CHECK(begun(cluster, "job") == starts);
    const auto status = cluster.status();
    REQUIRE(status);
    CHECK(status->exited == 5);
    require_no_violations(cluster);

    cluster.restart("job");  // A new generation is new work.
    cluster.run(60s);
    CHECK(begun(cluster, "job") >= starts + 5);
    require_no_violations(cluster);
}

// Goal: an end that was reported and not written is reported again. Method: the coordinator dies at
// the commit of the end, before or after it is durable; the other hosts stay as they are.
TEST_CASE("an end is kept even if the coordinator dies while it is written",
          "[scenario][tasks][ends]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 9));
    CAPTURE(seed);
    Cluster cluster{{.seed = seed, .nodes = 3}};
    cluster.want("job", 3, ends_after(0, "2000", RestartPolicy::on_failure));
    cluster.run(1500ms);
    cluster.crash_at_commit(cluster.commits() + 1);
    cluster.run(5s);
    if (!cluster.coordinator_is_up()) {
        cluster.restart_coordinator();
    }
    cluster.run(30s);
    REQUIRE(cluster.store().ends.size() == 1);
    for (const Ordinal ordinal : {0U, 1U, 2U}) {
        CHECK(cluster.store().ends[0].ordinals.contains(ordinal));
    }
    require_no_violations(cluster);
}

}  // namespace muster::sim
