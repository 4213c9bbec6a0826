// How many nodes a pool asks for.

#include <string>
#include <vector>

#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;
using muster::coordinator::testing::PoolScene;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("any demand of an empty pool asks for one node", "[pools][scaling][FN-20]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.pass(3s);
    CHECK(scene.local.provisions.empty());
    scene.need(1);
    scene.pass(3s);
    REQUIRE(scene.local.provisions.size() == 1);
    CHECK(scene.local.provisions[0].count == 1);
    CHECK(scene.local.provisions[0].pool == "web");
    CHECK(scene.in_state("active") == Names{"web-01"});
    scene.pass(20s);
    CHECK(scene.asked() == 1);
}

// Goal: a guess does not ask for many nodes too many.
TEST_CASE("one node shows how much a node has", "[pools][scaling][FN-20]") {
    PoolScene scene;
    REQUIRE(scene.create({.node_amount = 0}));
    scene.local.is_joined = false;
    scene.need(10'000);
    scene.pass(5s);
    CHECK(scene.asked() == 1);
    CHECK_THAT(scene.explained(), Catch::Contains("one node shows how much a node has"));
    scene.local.is_joined = true;
    scene.join("web-01");  // It has 100, and a guess is 4,096.
    scene.pass(3s);
    CHECK(scene.asked() > 20);
}

TEST_CASE("one unit more than the pool holds asks for one node more", "[pools][scaling][FN-21]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(300);
    scene.pass(3s);
    CHECK(scene.asked() == 3);
    CHECK(scene.in_state("active").size() == 3);
    scene.need(301);
    scene.pass(3s);
    CHECK(scene.asked() == 4);
}

// Goal: much demand never asks for more than `step` at once, nor for more than is needed.
// Method: nodes that are asked for and do not come for a while.
TEST_CASE("demand of many nodes asks for a step with each look", "[pools][scaling][FN-22]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.local.is_joined = false;
    scene.pass(2s);
    scene.need(4'510);
    scene.pass(100ms);
    CHECK(scene.asked() <= 20);  // Not all with the same advert.
    scene.pass(10s);
    std::vector<std::uint32_t> counts;
    for (const ProvisionNodes& provision : scene.local.provisions) {
        counts.push_back(provision.count);
    }
    CHECK(counts == std::vector<std::uint32_t>{20, 20, 6});
    for (const auto& [name, node] : scene.local.nodes) {
        scene.join(name);
    }
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 46);
    CHECK(scene.asked() == 46);
    CHECK(scene.shown().decision.capacity == 4'600);
}

TEST_CASE("less than a node too much changes nothing", "[pools][scaling][FN-25]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(300);
    scene.pass(3s);
    scene.need(201);
    scene.pass(10s);
    CHECK(scene.in_state("active").size() == 3);
    CHECK(scene.count_of_events("pool.draining") == 0);
    CHECK(scene.shown().decision.reason == "enough");
    scene.need(200);
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 2);
}

TEST_CASE("the capacity of a node that vanishes is asked for again", "[pools][scaling][FN-D1]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(200);
    scene.pass(3s);
    const bool is_listed = GENERATE(true, false);
    scene.die("web-02");
    if (!is_listed) {
        scene.local.nodes.erase("web-02");
    }
    scene.pass(6s);
    CHECK(scene.asked() == 3);
    CHECK(scene.member_names() == Names{"web-01", "web-03"});
    CHECK(scene.shown().decision.capacity == 200);
    scene.pass(5s);
    CHECK(scene.count_of_events("pool.vanished") == (is_listed ? 0 : 1));
    CHECK((scene.shown().nodes.size() == 2) == !is_listed);
}

// Goal: a node that died before its provider listed it is not awaited until `arrive_within`.
TEST_CASE("a node that dies before it is listed is replaced", "[pools][scaling][FN-D1]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(100);
    scene.local.brings = 0;
    scene.pass(2s);
    REQUIRE(scene.slots() == 1);
    scene.join("web-77");
    scene.pass(1s);
    scene.die("web-77");
    scene.pass(6s);  // It is decided lost.
    CHECK(scene.asked() == 1);
    scene.local.nodes["web-77"] = {.id = "i-77", .node = "web-77", .pool = "web"};
    scene.local.brings = 999;
    scene.pass(8s);
    CHECK(scene.asked() == 2);
    CHECK(scene.member_names() == Names{"web-01"});
    CHECK(scene.in_state("active") == Names{"web-01", "web-77"});
}

TEST_CASE("slots and cores are counted as memory is", "[pools][scaling][FN-D12]") {
    PoolScene scene;
    const PoolUnit unit = GENERATE(PoolUnit::slots, PoolUnit::cpu_milli);
    REQUIRE(scene.create({.unit = unit, .node_amount = 4}));
    scene.local.is_joined = false;
    scene.need(9);
    scene.pass(3s);
    CHECK(scene.asked() == 3);
    for (const auto& [name, node] : scene.local.nodes) {
        FakeAgent& fake = scene.harness.add(name);
        fake.offer.pool = "web";
        fake.offer.capacity.cpu_milli = 10;
        fake.offer.capacity.slots = 10;
        fake.offer.reserved.cpu_milli = 1;
        fake.offer.reserved.slots = 1;
        scene.harness.send_hello(fake);
    }
    scene.pass(10s);  // Each has 9, so one is enough.
    CHECK(scene.in_state("active").size() == 1);
    CHECK(scene.shown().decision.capacity == 9);
}

// Goal: the nodes of tasks that run do not go because nobody advertises.
TEST_CASE("instances of a pool's tasks are demand, also while they run", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    WantedTask task = CoordinatorHarness::wanted("work", 3);
    task.place.pool = "web";
    task.place.request.memory_bytes = 60'000'000;
    scene.harness.ask(ApplyRequest{.tasks = {task}}, scene.harness.fresh_id());
    scene.pass(10s);
    CHECK(scene.shown().decision.derived == 180);
    CHECK(scene.shown().decision.wanted == 180);
    CHECK(scene.in_state("active").size() == 2);
    scene.need(150);  // The adverts and the tasks need the same nodes.
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 2);
    scene.harness.ask(TaskRemoveRequest{"work"}, scene.harness.fresh_id());
    scene.need(0);
    scene.pass(15s);
    CHECK(scene.shown().nodes.empty());
}

// Goal: the sum of the adverts is what is decided on, and what came in between costs nothing.
// Method: many adverts at the same instant.
TEST_CASE("the newest total is decided on, however many adverts came", "[pools][scaling][FN-D11]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.local.is_joined = false;
    scene.pass(2s);
    for (Amount at = 1; at <= 500; ++at) {
        scene.need(at);
        scene.harness.ask(DemandSetRequest{.reporter = "other", .needs = {{"web", 2 * at}}});
    }
    const Instant deadline = scene.harness.coordinator.next_deadline();
    CHECK(deadline > scene.harness.now);  // All of them wait for one look.
    scene.pass(3s);
    CHECK(scene.shown().decision.demand == 1'500);
    CHECK(scene.shown().decision.wanted == 1'500);
    CHECK(scene.asked() == 15);
    CHECK(scene.local.provisions.size() <= 2);
}

TEST_CASE("a pool that has changed waits for its cooldown", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.up_cooldown_ms = 20'000, .down_cooldown_ms = 40'000}));
    scene.need(100);
    scene.pass(3s);
    REQUIRE(scene.in_state("active").size() == 1);
    scene.need(200);
    scene.pass(5s);
    CHECK(scene.asked() == 1);
    CHECK(scene.shown().decision.reason == "up_cooldown");
    scene.pass(20s);
    CHECK(scene.in_state("active").size() == 2);
    scene.need(0);
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 2);
    CHECK(scene.shown().decision.reason == "down_cooldown");
    scene.pass(50s);
    CHECK(scene.shown().nodes.empty());
}

// Goal: a cooldown counts from a change, and not from a wish that nothing came of.
// Method: no node can go, because those that were asked for have not come.
TEST_CASE("a wish that is not carried out begins no cooldown", "[pools][scaling]") {
    PoolScene scene;
    scene.make_nodes(1, {.down_cooldown_ms = 20'000});
    scene.local.brings = 0;
    scene.need(300);
    scene.pass(1s);
    REQUIRE(scene.slots() == 2);
    scene.need(100);
    scene.pass(30s);
    REQUIRE(scene.in_state("active") == Names{"web-01"});
    for (const auto* const name : {"web-08", "web-09"}) {
        scene.local.nodes[name] = {.id = name, .node = name, .pool = "web"};
        scene.join(name);
    }
    scene.pass(3s);
    CHECK(scene.count_of_events("pool.draining") == 1);
}

TEST_CASE("with another unit one node shows again how much a node has", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.node_amount = 0}));
    scene.need(100);
    scene.pass(5s);
    scene.need(0);
    scene.pass(20s);
    REQUIRE(scene.shown().nodes.empty());
    const std::uint32_t before = scene.asked();
    scene.local.is_joined = false;
    REQUIRE(scene.set({.unit = PoolUnit::cpu_milli}));
    scene.need(50'000);
    scene.pass(3s);
    CHECK(scene.asked() == before + 1);
}
