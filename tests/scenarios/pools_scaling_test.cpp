// Pools that grow and shrink with real agents, on nodes that a model of a provider makes.

#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "sim/faults/chaos_pools.hpp"
#include "sim/program/random_run.hpp"
#include "tests/scenarios/support.hpp"

namespace muster::sim {
namespace {

ClusterOptions with_provider() {
    ClusterOptions options{.nodes = 1};
    prepare_pools(options, 1);
    return options;
}

/// A pool whose nodes have two slots each.
struct Fleet {
    Cluster cluster;

    explicit Fleet(const PoolChanges& more = {}, const ClusterOptions& options = with_provider())
        : cluster{options} {
        Offer offer;
        offer.capacity.slots = 2;
        cluster.set_pool_offer("web", offer);
        PoolChanges changes = more;
        changes.unit = PoolUnit::slots;
        changes.provider = provider_name;
        changes.node_amount = 2;
        changes.arrive_within_ms = more.arrive_within_ms.value_or(20'000);
        changes.demand_ttl_ms = Reporters::ttl_ms;
        cluster.ask(PoolCreateRequest{"web", changes, {}});
        cluster.run(2s);
    }
    [[nodiscard]] std::size_t serving() const { return cluster.serving_in("web").size(); }
    [[nodiscard]] bool serves(std::size_t nodes, Duration within = 60s) {
        return cluster.run_until([&] { return serving() == nodes; }, within);
    }
    void grow_to(std::size_t nodes) {
        cluster.need("lb", "web", 2 * nodes);
        REQUIRE(serves(nodes));
        cluster.run(5s);
    }
    void want_in_pool(std::uint32_t instances, TaskSpec spec = sim::serving()) {
        spec.max_per_node = 2;
        WantedTask task{"work", instances, std::move(spec), {}};
        task.place.pool = "web";
        task.place.request.slots = 1;
        cluster.ask(ApplyRequest{.tasks = {std::move(task)}});
    }
    [[nodiscard]] PoolShowReply shown() {
        const auto reply = cluster.pool("web");
        REQUIRE(reply);
        return *reply;
    }
    [[nodiscard]] std::size_t count(const std::string& state) {
        const auto nodes = shown().nodes;
        return static_cast<std::size_t>(std::ranges::count(nodes, state, &PoolNodeView::state));
    }
    [[nodiscard]] std::size_t calls(const std::string& what) const {
        const std::string text = cluster.world().trace.text();
        std::size_t found = 0;
        for (auto at = text.find(": " + what); at != std::string::npos;
             at = text.find(": " + what, at + 1)) {
            ++found;
        }
        return found;
    }
};

}  // namespace

TEST_CASE("a pool follows its demand up and down, and its nodes come and go", "[pools]") {
    Fleet fleet;
    fleet.grow_to(3);
    CHECK(fleet.shown().decision.capacity == 6);
    fleet.cluster.need("lb", "web", 1);
    CHECK(fleet.serves(1));
    fleet.cluster.run(5s);
    CHECK(fleet.cluster.world().provider.existing() == 1);
    fleet.cluster.need("lb", "web", 0);
    CHECK(fleet.serves(0));
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("a pool that does not get its size breaks P2", "[pools][checkers][P2]") {
    Fleet fleet;
    const bool is_too_small = GENERATE(true, false);
    fleet.grow_to(2);
    ProviderFaults faults;
    faults.refuses = is_too_small ? 1000 : 0;
    faults.keeps = is_too_small ? 0 : 1000;
    fleet.cluster.set_provider_faults(faults);
    fleet.cluster.need("lb", "web", is_too_small ? 8 : 1);
    CHECK_FALSE(fleet.cluster.pools_settle());
    REQUIRE(fleet.cluster.violations().size() == 1);
    CHECK_THAT(fleet.cluster.violations().front(), Catch::StartsWith("P2: "));
}

TEST_CASE("the tasks of a pool bring nodes, which go again with them", "[pools]") {
    Fleet fleet;
    fleet.grow_to(1);  // A task may name only a pool that has a node.
    fleet.want_in_pool(4);
    fleet.cluster.run(1s);
    fleet.cluster.need("lb", "web", 0);
    CHECK(fleet.cluster.run_until([&] { return fleet.cluster.running("work") == 4; }, 60s));
    CHECK(fleet.serving() == 2);
    fleet.cluster.remove("work");
    CHECK(fleet.serves(0));
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("a node that vanishes is replaced, and no drain takes another one", "[pools][FN-D1]") {
    Fleet fleet;
    fleet.grow_to(2);
    const auto before = fleet.cluster.serving_in("web");
    fleet.cluster.vanish(before.front());
    CHECK(fleet.serves(1));
    CHECK(fleet.serves(2));
    CHECK(fleet.count("draining") == 0);
    CHECK(fleet.cluster.host(before.back()).is_up());
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("a node that was granted and never comes is asked for again by another request",
          "[pools][FN-D3]") {
    Fleet fleet{PoolChanges{.arrive_within_ms = 8'000}};
    fleet.cluster.set_provider_faults({.never = 1000});
    fleet.cluster.need("lb", "web", 2);
    fleet.cluster.run(5s);
    CHECK(fleet.count("requested") == 1);
    const std::string first = fleet.shown().nodes.front().request;
    fleet.cluster.set_provider_faults({});
    CHECK(fleet.serves(1));
    CHECK(fleet.shown().nodes.front().request != first);
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("a provider that refuses is asked again, and the pool says why", "[pools][FN-29]") {
    Fleet fleet;
    fleet.cluster.set_provider_faults({.refuses = 1000});
    fleet.cluster.need("lb", "web", 2);
    fleet.cluster.run(20s);
    CHECK(fleet.count("requested") == 1);
    CHECK(fleet.shown().alarm == "its provider fails: there is no capacity");
    CHECK(fleet.calls("provision") >= 3);
    CHECK(fleet.calls("provision") <= 6);  // After 1 s, 2 s, 4 s and so on.
    fleet.cluster.set_provider_faults({});
    CHECK(fleet.serves(1));
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("drains end by their time although no listing can be read", "[pools][FN-30]") {
    Fleet fleet{PoolChanges{.max_drain_ms = 15'000}};
    fleet.grow_to(3);
    fleet.want_in_pool(6);
    CHECK(fleet.cluster.run_until([&] { return fleet.cluster.running("work") == 6; }, 60s));
    fleet.cluster.ask(PoolSetRequest{"web", {.max = 2}, {}});
    CHECK(fleet.cluster.run_until([&] { return fleet.count("draining") == 1; }, 10s));
    fleet.cluster.set_provider_faults({.no_list = 1000});
    fleet.cluster.run(25s);
    CHECK(fleet.count("removing") == 1);
    CHECK(fleet.count("active") == 2);
    CHECK(fleet.serving() == 2);
    fleet.cluster.set_provider_faults({});
    CHECK(fleet.cluster.run_until([&] { return fleet.count("removing") == 0; }, 60s));
    require_no_violations(fleet.cluster);
}

// A busy loop would break the model's rule that time advances.
TEST_CASE("a listing that fails is repeated after a pause", "[pools]") {
    Fleet fleet;
    fleet.grow_to(1);
    const std::size_t before = fleet.calls("list");
    fleet.cluster.set_provider_faults({.no_list = 1000});
    fleet.cluster.run(60s);
    CHECK(fleet.calls("list") - before <= 8);
    CHECK(fleet.serving() == 1);
    require_no_violations(fleet.cluster);
}

TEST_CASE("without its last pool a provider is not asked any more", "[pools]") {
    Fleet fleet;
    fleet.cluster.ask(PoolRemoveRequest{"web", {}});
    fleet.cluster.run(5s);
    const std::size_t before = fleet.calls("list");
    fleet.cluster.run(60s);
    CHECK(fleet.calls("list") == before);
    require_no_violations(fleet.cluster);
}

TEST_CASE("a coordinator that starts again counts the nodes that are there before it asks",
          "[pools][FN-D2]") {
    Fleet fleet;
    fleet.grow_to(3);
    const std::size_t made = fleet.cluster.world().provider.nodes().size();
    fleet.cluster.crash_coordinator();
    fleet.cluster.run(3s);
    fleet.cluster.restart_coordinator();
    fleet.cluster.run(60s);
    CHECK(fleet.cluster.world().provider.nodes().size() == made);
    CHECK(fleet.shown().decision.nodes == 3);
    CHECK(fleet.serving() == 3);
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("a drain goes on after a restart, and its work is not cut short", "[pools]") {
    Fleet fleet{PoolChanges{.max_drain_ms = 60'000}};
    fleet.grow_to(2);
    fleet.want_in_pool(4);
    CHECK(fleet.cluster.run_until([&] { return fleet.cluster.running("work") == 4; }, 60s));
    fleet.cluster.ask(PoolSetRequest{"web", {.max = 1}, {}});
    CHECK(fleet.cluster.run_until([&] { return fleet.count("draining") == 1; }, 10s));
    fleet.cluster.crash_coordinator();
    fleet.cluster.restart_coordinator();
    fleet.cluster.run(10s);
    CHECK(fleet.count("draining") == 1);
    CHECK(fleet.cluster.running("work") == 4);
    require_no_violations(fleet.cluster);
}

TEST_CASE("a node that vanishes while no coordinator runs is replaced without an operator",
          "[pools]") {
    Fleet fleet;
    fleet.grow_to(1);
    fleet.cluster.crash_coordinator();
    fleet.cluster.vanish(fleet.cluster.serving_in("web").front());
    fleet.cluster.restart_coordinator();
    CHECK(fleet.serves(1, 90s));
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("while a provider takes long, demand and members are served, and the newest need counts",
          "[pools][FN-D5]") {
    Fleet fleet;
    fleet.grow_to(1);
    fleet.cluster.set_provider_faults({.takes = Span{4s, 4s}});
    fleet.cluster.need("lb", "web", 4);
    fleet.cluster.run(1s);
    const auto members = fleet.cluster.members("web");
    REQUIRE(members);
    CHECK(members->members.size() == 1);
    fleet.cluster.need("lb", "web", 6);
    fleet.cluster.run(1s);
    CHECK(fleet.shown().decision.demand == 6);
    CHECK(fleet.serves(3));
    CHECK(fleet.cluster.world().provider.nodes().size() == 3);
    require_no_violations(fleet.cluster);
}

TEST_CASE("a removal that fails is repeated, and the node is shown as removing until it is gone",
          "[pools][FN-D6]") {
    Fleet fleet;
    fleet.grow_to(1);
    fleet.cluster.set_provider_faults({.keeps = 1000});
    fleet.cluster.need("lb", "web", 0);
    fleet.cluster.run(30s);
    CHECK(fleet.count("removing") == 1);
    CHECK(fleet.calls("remove") >= 3);
    CHECK(fleet.cluster.world().provider.existing() == 1);
    fleet.cluster.set_provider_faults({});
    CHECK(fleet.cluster.run_until([&] { return fleet.shown().nodes.empty(); }, 60s));
    CHECK(fleet.cluster.world().provider.existing() == 0);
    require_no_violations(fleet.cluster);
}

TEST_CASE("an empty listing freezes the membership of a pool, and an operator can accept it",
          "[pools][SC-D14]") {
    Fleet fleet;
    fleet.grow_to(3);
    fleet.cluster.set_provider_faults({.empty_list = 1000});
    fleet.cluster.need("lb", "web", 1);
    fleet.cluster.run(30s);
    CHECK(fleet.shown().decision.reason == "listing_doubtful");
    const auto members = fleet.cluster.members("web");
    REQUIRE(members);
    CHECK(members->members.size() == fleet.serving());
    CHECK(fleet.serving() > 0);
    fleet.cluster.set_provider_faults({});
    CHECK(fleet.serves(1));
    CHECK(fleet.cluster.pools_settle());
    require_no_violations(fleet.cluster);
}

TEST_CASE("a node that comes late or twice is counted, and what is too much goes", "[pools]") {
    Fleet fleet{PoolChanges{.arrive_within_ms = 5'000}};
    fleet.cluster.set_provider_faults({.late = 500, .late_by = Span{8s, 12s}, .twice = 500});
    fleet.cluster.need("lb", "web", 4);
    fleet.cluster.run(60s);
    fleet.cluster.set_provider_faults({});
    CHECK(fleet.cluster.pools_settle());
    CHECK(fleet.serving() >= 2);
    CHECK(fleet.serving() <= 3);
    require_no_violations(fleet.cluster);
}

// Goal: pools keep their promises under random faults. Method: some hundred seeds; `muster-sim
// soak --pools 2` runs more.
TEST_CASE("pools keep their promises under random operations and faults", "[pools][random]") {
    for (std::uint64_t seed = 1; seed <= share_of(200); ++seed) {
        RandomRun run = drawn_run(6'000'000'000 + seed);
        run.pools = 1 + static_cast<std::uint32_t>(seed % 2);
        run.coordinators = seed % 4 == 0 ? 3 : 1;
        CAPTURE(seed);
        const RunResult result = carry_out(run);
        CHECK(result.violations == std::vector<std::string>{});
    }
}

}  // namespace muster::sim
