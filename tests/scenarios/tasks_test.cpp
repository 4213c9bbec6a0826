#include <algorithm>
#include <set>
#include <string>

#include "tests/scenarios/support.hpp"

// Changes by operators, and their effects.
namespace muster::sim {
namespace {

TaskSpec version(const std::string& text) {
    TaskSpec spec = serving();
    spec.argv.push_back(text);
    return spec;
}

const ChangeReply& change_of(const Cluster& cluster, std::size_t question) {
    const auto& answer = cluster.answer(question);
    REQUIRE(answer.has_value());
    REQUIRE(answer->result.has_value());
    return std::get<ChangeReply>(*answer->result);
}

TEST_CASE("a task is added, scaled up and down, and removed", "[scenario][tasks][GO-16]") {
    Cluster cluster{{.nodes = 4}};
    cluster.want("web", 1);
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 1);
    cluster.scale("web", 4);
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 4);
    cluster.scale("web", 2);
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 2);
    cluster.scale("web", 0);
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 0);
    cluster.scale("web", 3);
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 3);
    cluster.remove("web");
    require_convergence(cluster, 5s);
    CHECK(cluster.running("web") == 0);
    require_no_violations(cluster);
}

// Goal: the highest ordinals are stopped. Method: three instances, then two; check which remain.
TEST_CASE("scaling down stops the highest ordinals", "[scenario][tasks][GO-06]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.scale("web", 2);
    require_convergence(cluster, 5s);
    std::set<Ordinal> left;
    for (const auto& [number, process] : cluster.truth().processes()) {
        left.insert(process.id.ordinal);
    }
    CHECK(left == std::set<Ordinal>{0, 1});
    require_no_violations(cluster);
}

// Goal: a change does not wait for the next round. Method: in a quiet cluster, measure the virtual
// time from the request to the process.
TEST_CASE("a change takes effect at once, not with the next round", "[scenario][tasks]") {
    Cluster cluster{{}};
    cluster.run(3100ms);
    cluster.want("web", 1);
    CHECK(cluster.run_until([&] { return cluster.running("web") == 1; }, 20ms));
    require_no_violations(cluster);
}

// Goal: a roll-out takes down one instance at a time. Method: check every step of it.
TEST_CASE("a changed spec is rolled out one instance at a time", "[scenario][tasks][rollout]") {
    for (const bool surge : {true, false}) {
        CAPTURE(surge);
        TaskSpec before = version("1");
        before.update.max_surge = surge ? 1 : 0;
        TaskSpec after = version("2");
        after.update.max_surge = surge ? 1 : 0;
        Cluster cluster{{.nodes = 4}};
        cluster.want("web", 4, before);
        require_convergence(cluster, 5s);
        cluster.want("web", 4, after);
        std::size_t least = 4;
        std::size_t most = 4;
        const bool done = cluster.run_until(
            [&] {
                least = std::min(least, cluster.running("web"));
                most = std::max(most, cluster.running("web"));
                return cluster.converged();
            },
            60s);
        CHECK(done);
        CHECK(least >= 3);
        CHECK(most <= (surge ? 5 : 4));
        require_no_violations(cluster);
    }
}

// Goal: with room for a surge and max_unavailable 0, no instance is ever missing.
// Method: more nodes than instances; check every step.
TEST_CASE("a roll-out with room to surge is never an instance short",
          "[scenario][tasks][rollout][SP-4]") {
    TaskSpec spec = version("1");
    spec.update = UpdatePolicy{.max_surge = 1, .max_unavailable = 0};
    Cluster cluster{{.nodes = 4}};
    cluster.want("web", 3, spec);
    require_convergence(cluster, 5s);
    cluster.run(2s);  // All are reported running.
    spec.argv = version("2").argv;
    cluster.want("web", 3, spec);
    std::size_t least = 3;
    const bool done = cluster.run_until(
        [&] {
            least = std::min(least, cluster.running("web"));
            return cluster.converged();
        },
        60s);
    CHECK(done);
    CHECK(least == 3);
    require_no_violations(cluster);
}

TEST_CASE("a restart replaces every process by one of a new generation", "[scenario][tasks]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    const auto question = cluster.restart("web");
    require_convergence(cluster, 60s);
    const Generation generation = change_of(cluster, question).changes.front().generation;
    for (const auto& [number, process] : cluster.truth().processes()) {
        CHECK(process.generation == generation);
    }
    require_no_violations(cluster);
}

// Goal: a generation is never used twice. Method: remove and add the same task.
TEST_CASE("a task that was removed and added again has a new generation", "[scenario][tasks]") {
    Cluster cluster{{}};
    const auto first = cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.remove("web");
    const auto second = cluster.want("web", 3);
    require_convergence(cluster, 30s);
    CHECK(change_of(cluster, first).changes.front().generation <
          change_of(cluster, second).changes.front().generation);
    require_no_violations(cluster);
}

// Goal: each node has floor or ceil of the mean, for every remainder (SP-1).
// Method: every number of nodes up to six and of instances up to two more, as tasks of one instance
// and as one task; then a node leaves and returns.
TEST_CASE("every remainder of instances by nodes is spread by floor and ceil",
          "[scenario][SP-1][SP-3]") {
    for (std::uint32_t nodes = 1; nodes <= 6; ++nodes) {
        for (std::uint32_t wanted = 0; wanted <= 2 * nodes + 1; ++wanted) {
            CAPTURE(nodes, wanted);
            Cluster cluster{{.nodes = nodes}};
            cluster.want("many", std::min(wanted, nodes));
            for (std::uint32_t task = nodes; task < wanted; ++task) {
                cluster.want("single-" + std::to_string(task), 1);
            }
            const auto spread = [&] { return cluster.converged() && cluster.balanced(); };
            CHECK(cluster.run_until(spread, 10s));
            if (nodes > 2) {
                cluster.kill_host("n1");
                CHECK(cluster.run_until(spread, 30s));
                cluster.boot_host("n1");
                CHECK(cluster.run_until(spread, 30s));
            }
            require_no_violations(cluster);
        }
    }
}

// Goal: a crash-looping or impossible command disturbs no other task. Method: run all kinds
// together.
TEST_CASE("tasks that cannot run do not disturb those that can", "[scenario][tasks][S16]") {
    TaskSpec missing = serving();
    missing.argv = {"missing"};
    TaskSpec crashing = serving();
    crashing.argv = {"exit", "1", "50"};
    TaskSpec once = serving();
    once.argv = {"exit", "0", "50"};
    once.restart.policy = RestartPolicy::never;
    Cluster cluster{{}};
    cluster.want("missing", 2, missing);
    cluster.want("crashing", 2, crashing);
    cluster.want("once", 2, once);
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.run(60s);
    CHECK(cluster.running("web") == 3);
    CHECK(cluster.converged());
    CHECK(cluster.running("once") == 0);
    require_no_violations(cluster);
}

// Goal: the agent restarts a process that ends. Method: end one and observe.
TEST_CASE("a process that ends by itself is restarted where it was", "[scenario][tasks]") {
    Cluster cluster{{}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    REQUIRE(cluster.end_process({"web", 1}, 3));
    cluster.run(5ms);
    CHECK(cluster.running("web") == 2);
    CHECK(cluster.run_until([&] { return cluster.running("web") == 3; }, 5s));
    require_no_violations(cluster);
}

// Goal: a process gets its grace and is then killed. Method: remove a task whose process ignores
// its signal.
TEST_CASE("a process that ignores its stop signal is killed after the grace", "[scenario][tasks]") {
    TaskSpec spec = serving();
    spec.argv = {"stubborn"};
    spec.grace = 4s;
    Cluster cluster{{}};
    cluster.want("web", 1, spec);
    require_convergence(cluster, 5s);
    cluster.run(2s);
    cluster.remove("web");
    cluster.run(3900ms);
    CHECK(cluster.running("web") == 1);
    CHECK(cluster.run_until([&] { return cluster.running("web") == 0; }, 500ms));
    require_no_violations(cluster);
}

}  // namespace
}  // namespace muster::sim
