// What a pool is after a change of leader, and that nothing is left of one that is removed.

#include <string>
#include <vector>

#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::PoolScene;

namespace {

using Names = std::vector<std::string>;

/// The same programs and agents, and a new leader.
void go_on(PoolScene& next, const PoolScene& before) {
    next.local = before.local;
    for (const auto& [name, node] : before.local.nodes) {
        if (before.harness.fakes.contains(name)) {
            next.join(name);
        }
    }
}

}  // namespace

// Goal: a new leader asks for nothing that is there, and lets nothing go that is needed.
// Method: three nodes, of which the new leader hears late; the demand comes later still.
TEST_CASE("a new leader counts the nodes that it finds before it asks for any",
          "[pools][scaling][FN-D2]") {
    PoolScene first;
    REQUIRE(first.create());
    first.need(300);
    first.pass(5s);
    REQUIRE(first.in_state("active").size() == 3);

    PoolScene second{first.image()};
    second.local = first.local;
    second.need(300);
    second.pass(1s);
    CHECK(second.shown().defined);
    CHECK(second.in_state("active").size() == 3);
    CHECK(second.count_of_events("pool.requested") == 0);
    go_on(second, first);
    second.pass(20s);
    CHECK(second.shown().decision.reason == "waiting_for_demand");
    CHECK(second.member_names() == Names{"web-01", "web-02", "web-03"});
    second.pass(20s);
    CHECK(second.asked() == 3);
    CHECK(second.shown().decision.capacity == 300);
    CHECK(second.in_state("active").size() == 3);
    CHECK(second.shown().decision.reason == "enough");
}

TEST_CASE("a new leader lets no node go before reporters have spoken", "[pools][scaling][FN-D2]") {
    PoolScene first;
    REQUIRE(first.create({.demand_ttl_ms = 20'000}));
    first.need(300);
    first.pass(5s);

    PoolScene second{first.image()};
    go_on(second, first);
    second.pass(19s);
    CHECK(second.in_state("active").size() == 3);
    CHECK(second.count_of_events("pool.draining") == 0);
    second.pass(10s);
    CHECK(second.shown().nodes.empty());
}

// Goal: nodes that are found count, also those that nobody asked for. Method: the first listing
// takes long.
TEST_CASE("nothing is asked for before the first listing", "[pools][scaling][FN-D2]") {
    PoolScene scene;
    scene.local.is_slow = true;
    REQUIRE(scene.create());
    scene.need(300);
    scene.pass(5s);
    CHECK(scene.shown().decision.reason == "unlisted");
    CHECK(scene.calls_of<ProvisionNodes>().empty());
    for (const auto* const name : {"a", "b", "c"}) {
        scene.local.nodes[name] = {.id = name, .node = name, .pool = "web"};
    }
    scene.local.is_slow = false;
    scene.pass(5s);
    CHECK(scene.local.provisions.empty());
    CHECK(scene.in_state("requested") == Names{"a", "b", "c"});
}

// Goal: while a new leader does not know which nodes there are, it changes none, and clients keep
// the list that they have.
TEST_CASE("a new leader that recovers sizes nothing and lists no members",
          "[pools][scaling][FN-D2][FN-05]") {
    PoolScene first;
    REQUIRE(first.create({.demand_ttl_ms = 10'000}));
    first.local.made = 50;
    first.need(100);
    first.pass(5s);
    first.local.made = 10;
    first.need(200);
    first.pass(5s);
    REQUIRE(first.set({.demand_ttl_ms = 1'000}));

    CoordinatorOptions options = PoolScene::with_programs();
    options.recovery_grace = 20s;
    PoolScene second{first.image(), options};
    second.local = first.local;
    second.pass(10s);
    CHECK(second.shown().decision.reason == "recovering");
    CHECK(second.in_state("active").size() == 2);
    const auto members = second.harness.ask(PoolMembersRequest{"web"});
    REQUIRE_FALSE(members->result);
    CHECK(members->result.error().code == Errc::busy);
    REQUIRE(second.change(PoolPauseRequest{"web"}));
    go_on(second, first);
    second.pass(2s);
    CHECK(second.member_names() == Names{"web-51", "web-11"});
}

// Goal: a request has one effect, whoever repeats it.
TEST_CASE("a request keeps its id and count, after a failure and a change of leader",
          "[pools][scaling][FN-D12]") {
    PoolScene first;
    REQUIRE(first.create());
    first.pass(2s);
    first.local.refuses = "the answer was lost";
    first.need(300);
    first.pass(5s);
    REQUIRE(first.local.provisions.size() >= 2);
    const ProvisionNodes request = first.local.provisions[0];
    CHECK(request.count == 3);
    CHECK(first.local.provisions[1] == request);

    PoolScene second{first.image()};
    second.local.refuses = "the answer was lost";
    second.need(300);
    second.pass(5s);
    REQUIRE_FALSE(second.local.provisions.empty());
    for (const ProvisionNodes& provision : second.local.provisions) {
        CHECK(provision == request);
    }
    second.local.refuses.clear();
    second.pass(40s);
    CHECK(second.in_state("active").size() == 3);
    CHECK(second.asked() == 3);
    second.need(400);  // A later request has another id.
    second.pass(3s);
    REQUIRE(second.local.provisions.back().count == 1);
    CHECK(second.local.provisions.back().request != request.request);
}

TEST_CASE("definitions and drains go on under a new leader", "[pools][scaling][FN-D12]") {
    PoolScene first;
    REQUIRE(
        first.create({.min = 1, .max = 7, .schedule = std::vector<std::string>{"mon 08:00 5"}}));
    first.need(200);
    first.pass(5s);
    first.local.removes = false;
    first.need(0);
    first.pass(5s);
    REQUIRE(first.in_state("removing").size() == 1);
    REQUIRE(first.change(PoolPauseRequest{.name = "web", .why = {.author = "ann"}}));

    PoolScene second{first.image()};
    go_on(second, first);
    const auto shown = second.shown();
    CHECK(shown.spec == first.shown().spec);
    CHECK(shown.paused);
    CHECK(shown.author == "ann");
    CHECK(shown.since == first.shown().since);
    second.local.removes = true;
    second.pass(20s);  // A removal that has begun ends, also while the pool is paused.
    CHECK(second.in_state("active").size() == 1);
    CHECK(second.shown().nodes.size() == 1);
    CHECK(second.shown().decision.reason == "paused");
}

// Goal: nothing goes on for a pool that is gone. Method: the last one that names the provider.
TEST_CASE("nothing is asked after the last pool is removed", "[pools][scaling][FN-D11]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(100);
    scene.pass(3s);
    scene.need(0);
    scene.pass(15s);
    REQUIRE(scene.shown().nodes.empty());
    REQUIRE(scene.change(PoolRemoveRequest{"web"}));
    scene.pass(1s);
    const std::size_t before = scene.local.listings;
    scene.harness.give(Wake{});
    CHECK(scene.harness.coordinator.next_deadline() > scene.harness.now);
    scene.pass(60s);
    CHECK(scene.local.listings == before);
    CHECK(scene.harness.happened("pool.removed", "web"));
}

// Goal: a leader without the time does not spin. Method: its clock is not given.
TEST_CASE("a pool waits for the time", "[pools][scaling][FN-D11]") {
    PoolScene first;
    REQUIRE(first.create());
    Coordinator second{CoordinatorHarness::start, PoolScene::with_programs(), first.image()};
    static_cast<void>(second.step(CoordinatorHarness::start, Wake{}));
    CHECK(second.next_deadline() > CoordinatorHarness::start);
}
