#include <cstdint>
#include <string>
#include <string_view>

#include "sim/program/random_run.hpp"
#include "tests/scenarios/support.hpp"

// Every fault of random runs does what its name says, and nothing else.
namespace muster::sim {
namespace {

struct Sign {
    std::string_view fault;
    std::string_view in_trace;
};

constexpr Sign signs[]{
    {"corrupt", "> c1 mangled: "},
    {"power", "loses its power"},
    {"reboot", "is booted"},
    {"halt", "is paused"},
    {"agent-crash", "agent is killed"},
    {"disk-lost", "loses its disk"},
    {"agent-pause", "agent is paused"},
    {"agent-stop", "is stopped, with its instances"},
    {"agent-leave", "is stopped\n"},
    {"shim-kill", "a shim is killed"},
    {"machine", "m2 begins"},
    {"unready", "is not ready any more"},
    {"spawns-broken", "cannot make processes"},
    {"disk-broken", "cannot write"},
    {"disk-full", "has a full disk"},
    {"clock", "has a clock that is"},
    {"byzantine", "forges a message"},
    {"partition", "is cut off"},
    {"mass-partition", "n1 is cut off"},
    {"cut", "receives nothing"},
    {"flap", "is cut off"},
    {"lag", "lags by"},
    {"reset", "connection is reset"},
    {"mass-reset", "n1 connection is reset"},
    {"replay", "gets an old batch once more"},
    {"store-fails", "c1 store fails"},
    {"coordinator-pause", "c1 is paused"},
    {"coordinator-crash", "c1 is killed"},
    {"commit-crash", "c1 is killed"},
    {"stores", "c1 gets another store"},
    {"crash-loop", "c1 instance.backoff"},
    {"nodes", ": node drain"},
    {"limits", "_per_round 2"},
    {"rebalance", ": rebalance"},
    {"freeze", ": freeze on"},
    {"queries", ": explain"},
    {"shim-loss", "asks the shim of process"},
    {"keys", "takes the key"},
};

std::string trace_of(std::uint64_t seed, std::string_view faults) {
    RandomRun run = drawn_run(seed);
    run.nodes = 2;
    run.faults = FaultSet::parse(faults).value();
    const RunResult result = carry_out(run);
    CHECK(result.violations.empty());
    return result.trace;
}

}  // namespace

// Method: random runs with tasks and one fault, until its sign is in the trace. Runs without the
// fault never show the sign.
TEST_CASE("each fault alone is seen in the traces of its runs", "[scenario][random][faults]") {
    constexpr std::uint64_t most_seeds = 40;
    std::string quiet;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        quiet += trace_of(seed, "tasks");
    }
    for (const Sign& sign : signs) {
        CAPTURE(sign.fault);
        CHECK(quiet.find(sign.in_trace) == std::string::npos);
        bool seen = false;
        for (std::uint64_t seed = 1; seed <= most_seeds && !seen; ++seed) {
            const std::string trace = trace_of(seed, "tasks," + std::string{sign.fault});
            seen = trace.find(sign.in_trace) != std::string::npos;
        }
        CHECK(seen);
    }
}

// Goal: nothing depends on civil time, which people and their daemons set. Method: it jumps by ten
// years, forth and back, on the coordinator and on a host.
TEST_CASE("civil clocks that jump move nothing and end nothing", "[scenario][faults][clock]") {
    constexpr Duration ten_years = 87'600h;
    Cluster cluster{{}};
    cluster.want("web", 5);
    TaskSpec exclusive = serving();
    exclusive.exclusive = true;
    exclusive.update.max_surge = 0;
    cluster.want("db", 1, exclusive);
    require_convergence(cluster, 20s);
    const auto before = cluster.truth().processes();
    for (const Duration ahead : {ten_years, -ten_years, Duration{}}) {
        cluster.set_coordinator_clock(ahead);
        cluster.run(30s);
        cluster.set_clock("n1", -ahead);
        cluster.run(30s);
    }
    CHECK(cluster.truth().processes() == before);
    CHECK_FALSE(cluster.trace().contains("-> lost"));
    CHECK_FALSE(cluster.trace().contains("-> suspended"));
    CHECK(cluster.converged());
    require_no_violations(cluster);
}

// Goal: a slow peer delays no other (S21). Method: one host takes seconds for each message; work
// that can run elsewhere is placed as fast as before.
TEST_CASE("a slow host delays no other", "[scenario][faults][S21]") {
    Cluster cluster{{.nodes = 4}};
    cluster.want("web", 3);
    require_convergence(cluster, 5s);
    cluster.lag("n1", 5s);
    cluster.run(20s);
    CHECK(cluster.trace().contains("c1 > n1 silent for 3 polls -> lost"));
    cluster.want("api", 3);
    CHECK(cluster.run_until([&] { return cluster.running("api") == 3; }, 2s));
    cluster.heal("n1");
    CHECK(cluster.run_until(
        [&] { return cluster.trace().contains("c1 > n1 answered -> returned"); }, 20s));
    require_convergence(cluster, 30s);
    require_no_violations(cluster);
}

// Goal: a reconnect of all agents at once starts nothing and loses no node. Method: reset all
// connections repeatedly.
TEST_CASE("agents that all reconnect at once keep running", "[scenario][faults][reconnect]") {
    Cluster cluster{{.nodes = 20}};
    cluster.want("web", 20);
    require_convergence(cluster, 5s);
    const auto before = cluster.truth().processes();
    for (int time = 0; time < 3; ++time) {
        for (const std::string& label : cluster.labels()) {
            cluster.reset_link(label);
        }
        cluster.run(40s);
    }
    CHECK(cluster.truth().processes() == before);
    CHECK_FALSE(cluster.trace().contains("-> lost"));
    require_no_violations(cluster);
}

// Goal: an instance does not wait for ever when its shim's message is lost.
// Method: half of all messages between agent and shims are lost while tasks are added, changed and
// removed.
TEST_CASE("messages of shims can be lost, and no instance waits for them for ever",
          "[scenario][faults][shims]") {
    const auto seed = static_cast<std::uint64_t>(GENERATE(1, 2, 3, 4, 5, 6, 7, 8));
    CAPTURE(seed);
    Cluster cluster{{.seed = seed, .shim_loss = 500}};
    cluster.want("web", 6);
    require_convergence(cluster, 60s);
    cluster.restart("web");
    cluster.run(60s);
    require_convergence(cluster, 60s);
    CHECK(cluster.trace().contains("asks the shim of process"));
    cluster.remove("web");
    CHECK(cluster.run_until([&] { return cluster.running("web") == 0; }, 60s));
    cluster.run(30s);
    for (const std::string& label : cluster.labels()) {
        CHECK(cluster.host(label).core()->instances().empty());
    }
    require_no_violations(cluster);
}

// Goal: a task that ends as soon as it starts delays no other (L8). Method: run many of its
// instances.
TEST_CASE("tasks that crash in a loop delay no other task", "[scenario][faults][L8]") {
    Cluster cluster{{}};
    TaskSpec crashing = serving();
    crashing.argv = {"exit", "1", "50"};
    crashing.max_per_node = 20;
    cluster.want("bad", 60, crashing);
    cluster.run(5s);
    cluster.want("web", 3);
    CHECK(cluster.run_until([&] { return cluster.running("web") == 3; }, 2s));
    CHECK(cluster.trace().contains("c1 instance.backoff"));
    require_no_violations(cluster);
}

}  // namespace muster::sim
