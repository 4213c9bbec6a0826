#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "sim/faults/chaos.hpp"
#include "tests/scenarios/checkers/checker_stories.hpp"
#include "tests/scenarios/support.hpp"

// S8: an exclusive instance never has two processes, and it is started again once it can have none.
namespace muster::sim {
namespace {

constexpr Duration lease = 5s;
// After this time no process with a lease granted before can run any more.
constexpr Duration over = lease + lease / 100 + limits::lease_grace + limits::lease_kill;
const InstanceId db0{"db", 0};

TaskSpec alone(std::string behaviour = "serve") {
    TaskSpec spec = serving();
    spec.argv = {std::move(behaviour)};
    spec.exclusive = true;
    spec.update.max_surge = 0;
    return spec;
}

struct Alone : Cluster {
    explicit Alone(std::uint64_t seed = 1, TaskSpec spec = alone())
        : Cluster{ClusterOptions{.seed = seed, .nodes = 3}} {
        want("db", 1, std::move(spec));
        REQUIRE(run_until([&] { return running("db") == 1; }, 10s));
        run(2s);
    }
    /// The node where it runs.
    std::string home() {
        const auto all = labels();
        const auto at = std::ranges::find_if(
            all, [&](const std::string& label) { return running_on(label) > 0; });
        return at == all.end() ? std::string{} : *at;
    }
    bool runs_elsewhere_than(const std::string& label) {
        return running("db") == 1 && home() != label;
    }
};

// Goal: a host that is cut off ends its exclusive instance by itself before it runs elsewhere.
// Method: partition the host; an observer sees one process, none, and one.
TEST_CASE("an exclusive instance of a host that is cut off ends there, then runs elsewhere",
          "[scenario][exclusive][S8]") {
    for (const std::string behaviour : {"serve", "stubborn"}) {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            CAPTURE(behaviour, seed);
            Alone cluster{seed, alone(behaviour)};
            const std::string home = cluster.home();
            cluster.partition(home);
            const Instant cut = cluster.now();
            CHECK(cluster.run_until([&] { return cluster.running_on(home) == 0; }, over));
            CHECK(cluster.run_until([&] { return cluster.runs_elsewhere_than(home); }, 10s + over));
            CHECK(cluster.now() - cut <= over + 3s);
            cluster.heal(home);
            CHECK(cluster.converges());
            require_no_violations(cluster);
        }
    }
}

// Goal: the shim ends the instance. Method: the agent is dead or paused when the lease ends.
TEST_CASE("an exclusive instance ends with its lease even if no agent is running",
          "[scenario][exclusive][S8]") {
    const bool is_halted = GENERATE(false, true);
    Alone cluster;
    const std::string home = cluster.home();
    if (is_halted) {
        cluster.pause_agent(home);
    } else {
        cluster.crash_agent(home);
    }
    CHECK(cluster.run_until([&] { return cluster.running_on(home) == 0; }, over));
    CHECK(cluster.run_until([&] { return cluster.runs_elsewhere_than(home); }, 2 * over));
    if (is_halted) {
        cluster.resume_agent(home);
    } else {
        cluster.restart_agent(home);
    }
    CHECK(cluster.converges());
    require_no_violations(cluster);
}

TEST_CASE("an exclusive instance keeps running when its agent returns soon",
          "[scenario][exclusive][S8]") {
    Alone cluster;
    const std::string home = cluster.home();
    const auto process = cluster.truth().processes().begin()->first;
    cluster.crash_agent(home);
    cluster.restart_agent(home);
    cluster.run(3 * over);
    REQUIRE(cluster.running("db") == 1);
    CHECK(cluster.truth().processes().begin()->first == process);
    require_no_violations(cluster);
}

// Goal: where no lease can help, the token does.
// Method: a whole host pauses, including its shims, and resumes when another one runs the instance.
TEST_CASE("a storage that checks the token is safe from a host that paused",
          "[scenario][exclusive][S8]") {
    Alone cluster;
    const std::string home = cluster.home();
    REQUIRE(cluster.can_write(home, db0));
    cluster.halt_host(home);
    std::string other;
    REQUIRE(cluster.run_until(
        [&] {
            for (const std::string& label : cluster.labels()) {
                other = label != home && cluster.running_on(label) > 0 ? label : other;
            }
            return !other.empty();
        },
        3 * over));
    CHECK(cluster.can_write(other, db0));
    cluster.resume_host(home);
    CHECK(cluster.running_on(home) == 1);  // For a moment.
    CHECK_FALSE(cluster.can_write(home, db0));
    CHECK(cluster.can_write(other, db0));
    CHECK(cluster.run_until([&] { return cluster.running_on(home) == 0; }, 1s));
    CHECK(cluster.converges());
    require_no_violations(cluster);
}

// Goal: a leader that does not know earlier leases waits until they are over.
// Method: cut the host off while no coordinator is running, so that no report of it arrives.
TEST_CASE("a new leader places what no node reports when the earlier leases are over",
          "[scenario][exclusive][S8][S11]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Alone cluster{seed};
        const std::string home = cluster.home();
        cluster.crash_coordinator();
        cluster.partition(home);
        cluster.restart_coordinator();
        const Instant began = cluster.now();
        CHECK(cluster.run_until([&] { return cluster.runs_elsewhere_than(home); }, 60s));
        CHECK(cluster.now() - began >= over);
        cluster.heal(home);
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// Goal: other requests of operators never cause a second process.
// Method: while its host is cut off, remove and add the task, or the node.
TEST_CASE("changes by operators do not end the wait for a lease", "[scenario][exclusive][S8]") {
    const int change = GENERATE(0, 1, 2, 3);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(change, seed);
        Alone cluster{seed, alone("stubborn")};
        const std::string home = cluster.home();
        cluster.partition(home);
        cluster.run(1s);
        switch (change) {
            case 0:
                cluster.remove("db");
                cluster.run(3s);
                cluster.want("db", 1, alone("stubborn"));
                break;
            case 1: cluster.ask(NodeRemoveRequest{.pattern = home, .force = true}); break;
            case 2: cluster.restart("db"); break;
            default: cluster.add_twin(home); break;
        }
        CHECK(cluster.run_until([&] { return cluster.runs_elsewhere_than(home); }, 3 * over));
        require_no_violations(cluster);
    }
}

TEST_CASE("an exclusive instance is moved and replaced one process after the other",
          "[scenario][exclusive][S8]") {
    Alone cluster{1, alone("stubborn")};
    const std::string home = cluster.home();
    cluster.ask(NodeDrainRequest{.pattern = home});
    CHECK(cluster.run_until([&] { return cluster.runs_elsewhere_than(home); }, 30s));
    TaskSpec next = alone("stubborn");
    next.argv.emplace_back("anew");
    cluster.want("db", 1, next);
    cluster.run(30s);
    CHECK(cluster.running("db") == 1);
    require_no_violations(cluster);
}

TEST_CASE("exclusive tasks survive random faults", "[scenario][exclusive][random][S8]") {
    for (std::uint64_t seed = 1; seed <= share_of(40); ++seed) {
        CAPTURE(seed);
        const FaultSet faults = FaultSet::drawn(seed).without(Fault::stores);
        Cluster cluster{random_options(seed, 3 + static_cast<std::uint32_t>(seed % 3), faults)};
        cluster.want("db", 2, alone(seed % 2 == 0 ? "serve" : "stubborn"));
        Chaos chaos{cluster, seed, faults};
        chaos.run(90s);
        chaos.heal();
        CHECK(cluster.converges());
        require_no_violations(cluster);
    }
}

// ---- the checker can fail ----

struct LeaseStory {
    Checkers checkers;
    void begins(HostIndex host, std::uint64_t token, bool exclusive = true) {
        checkers.on(origin, ProcessBegan{host, db0, Generation{5}, 1, exclusive, token});
    }
    void orders(HostIndex host, std::uint64_t token) {
        Batch batch = start_of(db0);
        batch.starts.front().token = token;
        checkers.on(origin, BatchIssued{host, batch, image_with(0), memory_of(Epoch{1})});
    }
    void goes(HostIndex host) { checkers.on(origin, ProcessGone{host, 1, db0, Generation{5}}); }
};

Found only_s8(Checkers& checkers) {
    Found found = properties(checkers);
    std::erase_if(found, [](const std::string& property) { return property != "S8"; });
    return found;
}

TEST_CASE("a second process of an exclusive instance breaks S8", "[checkers][S8]") {
    LeaseStory story;
    story.begins(n0, 1);
    SECTION("while the first is running") {
        story.begins(n1, 2);
        CHECK(only_s8(story.checkers) == Found{"S8"});
    }
    SECTION("after it") {
        story.goes(n0);
        story.begins(n1, 2);
        CHECK(only_s8(story.checkers) == Found{});
    }
    SECTION("of a generation that is not exclusive") {
        story.begins(n1, 0, false);
        CHECK(only_s8(story.checkers) == Found{});
    }
}

TEST_CASE("a token that does not grow breaks S8", "[checkers][S8]") {
    LeaseStory story;
    story.begins(n0, 7);
    story.goes(n0);
    SECTION("elsewhere") {
        story.begins(n1, 7);
        CHECK(only_s8(story.checkers) == Found{"S8"});
    }
    SECTION("on a restart it stays") {
        story.begins(n0, 7);
        CHECK(only_s8(story.checkers) == Found{});
    }
    SECTION("nor decreases") {
        story.begins(n0, 6);
        CHECK(only_s8(story.checkers) == Found{"S8"});
    }
    SECTION("except for what another store ordered, which begins late") {
        story.orders(n1, 8);
        story.checkers.on(origin, StoreReplaced{image_with(0)});
        story.begins(n1, 8);
        story.begins(n0, 3);
        CHECK(only_s8(story.checkers) == Found{});
    }
}

}  // namespace
}  // namespace muster::sim
