#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/scenarios/support.hpp"

// Leadership changes while a large fleet runs.
namespace muster::sim {
namespace {

/// 100 instances run on each host. `TEST_LEADER_FLEET` overrides the number of hosts.
std::uint32_t hosts() {
    const char* const text = std::getenv("TEST_LEADER_FLEET");
    return text != nullptr ? static_cast<std::uint32_t>(std::stoul(text)) : 20;
}

constexpr std::uint32_t instances_of_host = 100;
constexpr std::uint32_t tasks = 10;
constexpr const char* changed_task = "t0";

std::uint32_t instances_of_task() { return hosts() * instances_of_host / tasks; }

/// What ends a leadership.
enum class End { killed, paused, resigned, cut_off };

void end_leadership(Cluster& cluster, std::uint32_t leader, End how) {
    switch (how) {
        case End::killed: cluster.crash_coordinator(leader); break;
        case End::paused: cluster.pause_coordinator(leader); break;
        case End::resigned: cluster.resign_coordinator(leader); break;
        case End::cut_off: cluster.cut_from_etcd(leader); break;
    }
}

void bring_back(Cluster& cluster, std::uint32_t former, End how) {
    switch (how) {
        case End::killed: cluster.restart_coordinator(former); break;
        case End::paused: cluster.resume_coordinator(former); break;
        case End::resigned: break;
        case End::cut_off: cluster.heal_to_etcd(former); break;
    }
}

/// Counts what tasks would notice. Truth after a leadership is not enough, because a process that
/// begins and ends in between leaves nothing there.
class FleetWatch final : public Observer {
public:
    /// Each instance that runs now has to stay where it is.
    void begin(const Truth& truth) {
        for (const auto& [number, process] : truth.processes()) {
            homes_.emplace(process.id, process.host);
        }
        restarts = moves = ends = lives = 0;
    }
    /// An operator ends these instances of the changed task.
    void release_from(Ordinal first) {
        std::erase_if(homes_, [&](const auto& home) {
            return home.first.task == changed_task && home.first.ordinal >= first;
        });
    }

    void on(Instant, const ProcessBegan& began) override {
        const auto [home, is_first] = homes_.emplace(began.id, began.host);
        if (!is_first) {
            ++(home->second == began.host ? restarts : moves);
        }
    }
    void on(Instant, const ProcessGone& gone) override {
        ends += homes_.contains(gone.id) ? 1U : 0U;
    }
    void on(Instant, const AgentBegan&) override { ++lives; }
    void on(Instant, const EventPublished& published) override {
        rounds += published.event.topic == "round.closed" ? 1U : 0U;
    }
    void on(Instant, const Committed&) override {}
    void on(Instant, const BatchIssued&) override {}
    void on(Instant, const ShutDownOrdered&) override {}
    void on(Instant, const EndOrdered&) override {}

    std::size_t restarts = 0;
    std::size_t moves = 0;
    std::size_t ends = 0;    ///< Without a request of an operator.
    std::size_t lives = 0;   ///< Of agents.
    std::size_t rounds = 0;  ///< Closed by the present leader.

private:
    std::map<InstanceId, HostIndex> homes_;
};

/// L1, without the time that it adds for a recovery.
std::size_t rounds_of_l1(const ClusterOptions& options) {
    const Duration round = options.coordinator.round;
    const Duration handshake = 4 * options.delay.most;
    const Duration reconnected = options.heartbeat_timeout + options.reconnect.most + handshake;
    return static_cast<std::size_t>((reconnected + round - 1ns) / round) + 3;
}

/// The coordinators that act as leaders.
std::size_t leaders(const Cluster& cluster) {
    std::size_t count = 0;
    for (std::uint32_t control = 0; control < cluster.coordinators(); ++control) {
        const ControlHost& host = cluster.control(control);
        count += host.is_up() && !host.is_paused() ? 1U : 0U;
    }
    return count;
}

/// The leader knows that all is as wanted, and it is true.
bool is_settled(Cluster& cluster) {
    const auto status = cluster.status();
    return status && status->phase == "leading" && status->converged && status->moving == 0 &&
           cluster.converged();
}

void start_tasks(Cluster& cluster) {
    cluster.run(20s);  // All hosts are there, so nothing has to move later.
    TaskSpec spec = serving();
    spec.max_per_node = instances_of_host;
    for (std::uint32_t task = 0; task < tasks; ++task) {
        cluster.want("t" + std::to_string(task), instances_of_task(), spec);
    }
    for (int round = 0; round < 600 && !is_settled(cluster); ++round) {
        cluster.run(1s);
    }
    REQUIRE(is_settled(cluster));
    REQUIRE(cluster.truth().processes().size() == std::size_t{hosts()} * instances_of_host);
}

/// The operator adds an instance for each host, or removes them again.
void change_task(Cluster& cluster, FleetWatch& watch, End how) {
    const bool adds = how == End::killed || how == End::resigned;
    if (!adds) {
        watch.release_from(instances_of_task());
    }
    cluster.scale(changed_task, instances_of_task() + (adds ? hosts() : 0));
    // The leader is lost before its write, during it, or after some of its orders.
    cluster.run(std::chrono::milliseconds{1 + 2 * static_cast<int>(how)});
}

/// Ends the leadership. Returns in how many rounds of the next leader all is as wanted.
std::size_t change_leader(Cluster& cluster, FleetWatch& watch, End how, std::size_t most_rounds) {
    const std::uint32_t former = cluster.leading_number();
    end_leadership(cluster, former, how);
    REQUIRE(cluster.run_until(
        [&] {
            return cluster.coordinator_is_up() && cluster.leading_number() != former &&
                   !cluster.coordinator_is_paused();
        },
        election_lease + 2s));
    watch.rounds = 0;
    const std::uint32_t next = cluster.leading_number();
    while (watch.rounds <= most_rounds && !is_settled(cluster)) {
        cluster.run(1s);
    }
    const std::size_t rounds = watch.rounds;
    CHECK(is_settled(cluster));
    CHECK(leaders(cluster) == 1);
    bring_back(cluster, former, how);
    cluster.run(10s);
    CHECK(leaders(cluster) == 1);
    CHECK(cluster.leading_number() == next);
    CHECK(is_settled(cluster));
    return rounds;
}

}  // namespace

// Goal: with 1,000 hosts and 100,000 instances no task notices that the leader changes: nothing
// restarts or moves, and wanted equals actual within the rounds of L1. Method: end leaderships in
// each way, also while an operator changes a task.
TEST_CASE("leaders of a large fleet change, and no task notices",
          "[scenario][leadership][L1][L2]") {
    const ClusterOptions options{.nodes = hosts(), .coordinators = 3};
    const std::size_t bound = rounds_of_l1(options);
    FleetWatch watch;
    Cluster cluster{options};
    start_tasks(cluster);
    cluster.set_observer(watch);
    watch.begin(cluster.truth());

    int changes = 0;
    std::size_t most_rounds = 0;
    for (const End how : {End::killed, End::paused, End::resigned, End::cut_off}) {
        for (const bool with_change : {false, true}) {
            CAPTURE(static_cast<int>(how), with_change);
            if (with_change) {
                change_task(cluster, watch, how);
            }
            most_rounds = std::max(most_rounds, change_leader(cluster, watch, how, bound));
            ++changes;
            CHECK(watch.restarts == 0);
            CHECK(watch.moves == 0);
            CHECK(watch.ends == 0);
            CHECK(watch.lives == 0);
        }
    }
    CHECK(most_rounds <= bound);
    CHECK(cluster.suspicions() == 0);
    require_no_violations(cluster);
    std::printf(
        "leaders changed %d times, half of them during a change, over %u hosts with %u instances: "
        "%zu restarts, %zu moves, converged within %zu rounds of at most %zu\n",
        changes, hosts(), hosts() * instances_of_host, watch.restarts, watch.moves, most_rounds,
        bound);
}

// Goal: what is missing after a recovery is placed beside all that runs. A pass plans only some of
// the tasks, so the homes of all are counted before the first one. Method: the leader is killed,
// and an operator adds one instance for each host to the first task.
TEST_CASE("instances that were added during a recovery are placed evenly",
          "[scenario][leadership]") {
    Cluster cluster{{.nodes = hosts(), .coordinators = 3}};
    start_tasks(cluster);
    cluster.crash_coordinator(cluster.leading_number());
    cluster.scale("t0", instances_of_task() + hosts());
    const std::size_t wanted = std::size_t{hosts()} * (instances_of_host + 1);
    REQUIRE(cluster.run_until([&] { return cluster.truth().processes().size() >= wanted; }, 60s));
    CHECK(cluster.balanced());
    require_no_violations(cluster);
}

}  // namespace muster::sim
