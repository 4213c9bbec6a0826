// Which nodes of a pool go, and when.

#include <string>
#include <vector>

#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::PoolScene;

namespace {

using Names = std::vector<std::string>;

}  // namespace

// Goal: work is moved as little as possible. Method: ten nodes, eight of which run something.
TEST_CASE("the emptiest nodes drain, as many as are too much", "[pools][scaling][FN-23]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(1'000);
    scene.pass(3s);
    REQUIRE(scene.in_state("active").size() == 10);
    scene.make_busy(8);
    Names idle;
    for (const auto& [name, fake] : scene.harness.fakes) {
        if (fake.instances.empty()) {
            idle.push_back(name);
        }
    }
    REQUIRE(idle.size() == 2);
    scene.need(750);
    scene.pass(5s);
    for (const std::string& name : idle) {
        CHECK_FALSE(scene.local.nodes.contains(name));
    }
    CHECK(scene.in_state("active").size() == 8);
    CHECK(scene.local.nodes.size() == 8);
}

// Goal: among equals the newest goes. Method: its name would come last.
TEST_CASE("of nodes with equal work the newest drains", "[pools][scaling][FN-23]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.local.made = 50;
    scene.need(100);
    scene.pass(3s);
    scene.local.made = 10;
    scene.need(200);
    scene.pass(3s);
    REQUIRE(scene.in_state("active") == Names{"web-11", "web-51"});
    scene.need(100);
    scene.pass(5s);
    CHECK(scene.in_state("active") == Names{"web-51"});
    CHECK(scene.local.nodes.size() == 1);
}

TEST_CASE("at most the drain budget drains at once", "[pools][scaling][FN-23]") {
    PoolScene scene;
    REQUIRE(scene.create({.drain_budget = 3, .max_drain_ms = 20'000}));
    scene.need(800);
    scene.pass(3s);
    scene.make_busy(8);
    scene.need(0);
    scene.pass(10s);
    CHECK(scene.in_state("draining").size() == 3);
    CHECK(scene.in_state("active").size() == 5);
    scene.pass(20s);
    CHECK(scene.in_state("draining").size() <= 3);
    CHECK(scene.in_state("active").size() < 5);
}

TEST_CASE("the node that began to drain last comes back first", "[pools][scaling][FN-24]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(300);
    scene.pass(3s);
    scene.make_busy(3);
    scene.need(200);
    scene.pass(1s);
    const Names first = scene.in_state("draining");
    REQUIRE(first.size() == 1);
    scene.need(100);
    scene.pass(1s);
    REQUIRE(scene.in_state("draining").size() == 2);
    scene.need(150);
    scene.pass(1s);
    CHECK(scene.in_state("draining") == first);
    CHECK(scene.count_of_events("pool.returned") == 1);
    CHECK(scene.asked() == 3);  // Nothing is asked for while drained ones suffice.
    scene.need(301);
    scene.pass(3s);
    CHECK(scene.in_state("draining").empty());
    CHECK(scene.asked() == 4);
    CHECK(scene.harness.node(first[0]).intent == "active");
}

// Goal: an operator's word stands. Method: it sets a node offline that the pool drains.
TEST_CASE("what an operator set offline is not taken back", "[pools][scaling][FN-24]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(200);
    scene.pass(3s);
    scene.make_busy(2);
    scene.need(100);
    scene.pass(1s);
    const Names drained = scene.in_state("draining");
    REQUIRE(drained.size() == 1);
    REQUIRE(scene.harness.ask(NodeOfflineRequest{drained[0]}, scene.harness.fresh_id()));
    scene.need(200);
    scene.pass(2s);
    CHECK(scene.harness.node(drained[0]).intent == "offline");
    CHECK(scene.asked() == 3);
}

TEST_CASE("without demand all nodes go, but not the least number", "[pools][scaling][FN-27]") {
    const std::uint32_t min = GENERATE(0U, 2U);
    PoolScene scene;
    REQUIRE(scene.create({.min = min}));
    scene.need(300);
    scene.pass(3s);
    CHECK(scene.member_names().size() == 3);
    scene.need(0);
    scene.pass(15s);
    CHECK(scene.in_state("active").size() == min);
    CHECK(scene.member_names().size() == min);
    CHECK(scene.local.nodes.size() == min);
    CHECK(scene.shown().nodes.size() == min);
}

// Goal: capacity that is only asked for makes no real node superfluous.
// Method: two nodes are asked for and do not come. Then one is enough, or the pool may have one.
TEST_CASE("the only real node does not drain for those that may come", "[pools][scaling][FN-D1]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(100);
    scene.pass(3s);
    scene.local.is_joined = false;
    scene.need(300);
    scene.pass(3s);
    REQUIRE(scene.in_state("requested").size() == 2);
    scene.need(100);
    if (GENERATE(true, false)) {
        REQUIRE(scene.set({.max = 1}));
    }
    scene.pass(10s);
    CHECK(scene.in_state("active") == Names{"web-01"});
    CHECK(scene.count_of_events("pool.draining") == 0);
    CHECK(scene.member_names() == Names{"web-01"});
    for (const auto& [name, node] : scene.local.nodes) {
        if (name != "web-01") {
            scene.join(name);
        }
    }
    scene.pass(10s);  // Now those that came last are too much.
    CHECK(scene.local.nodes.size() == 1);
    CHECK(scene.in_state("active") == Names{"web-01"});
}

// Goal: the same for a node that is dead, as long as nobody has decided so.
TEST_CASE("no node drains for one that is silent", "[pools][scaling][FN-D1]") {
    CoordinatorOptions options = PoolScene::with_programs();
    options.loss.after = 20;
    PoolScene scene{CoordinatorHarness::empty_store(), options};
    scene.make_nodes(3);
    const std::string dead = scene.in_state("active").front();
    scene.die(dead);
    scene.pass(4s);
    REQUIRE(scene.harness.read<NodeShowReply>(NodeShowRequest{dead}).node.health != "lost");
    scene.need(100);
    scene.pass(3s);
    CHECK(scene.in_state("active").size() == 2);
    CHECK(scene.in_state("active").front() == dead);
    CHECK(scene.count_of_events("pool.draining") == 1);
}

// Goal: a drain ends when nothing runs, or at its deadline, and not after a fixed time.
TEST_CASE("a drain ends with the work, or at its deadline", "[pools][scaling][FN-D12]") {
    PoolScene scene;
    REQUIRE(scene.create({.max_drain_ms = 20'000}));
    scene.need(100);
    scene.pass(3s);
    SECTION("nothing runs") {
        scene.need(0);
        scene.pass(3s);
        CHECK(scene.local.nodes.empty());
    }
    SECTION("something runs") {
        scene.make_busy(1);
        scene.need(0);
        scene.pass(15s);
        CHECK(scene.in_state("draining").size() == 1);
        CHECK(scene.local.removals.empty());
        scene.pass(10s);
        CHECK_FALSE(scene.local.removals.empty());
    }
}

// Goal: the least number of nodes is there, and not only on its way.
TEST_CASE("no drain leaves fewer than the least while others are still to come",
          "[pools][scaling][FN-27]") {
    PoolScene scene;
    scene.make_nodes(2, {.min = 2});
    scene.local.brings = 0;
    scene.need(300);
    scene.pass(2s);
    REQUIRE(scene.slots() == 1);
    scene.need(0);
    scene.pass(10s);
    CHECK(scene.in_state("active").size() == 2);
    CHECK(scene.count_of_events("pool.draining") == 0);
}

// Goal: what an operator has decided counts before it is durable. Method: the store does not
// confirm that one of two nodes goes, while the pool comes to need none.
TEST_CASE("no node drains while an operator takes away another", "[pools][scaling][FN-27]") {
    PoolScene scene;
    scene.make_nodes(2, {.min = 1});
    const std::string one = scene.in_state("active").front();
    const auto decided =
        GENERATE_COPY(CoreRequestBody{NodeRemoveRequest{.pattern = one, .force = true}},
                      CoreRequestBody{NodeOfflineRequest{.pattern = one}});
    scene.harness.store_works = false;
    const Ticket asked = scene.harness.request(decided, scene.harness.fresh_id());
    scene.need(0);
    scene.pass(5s);
    scene.harness.store_works = true;
    scene.harness.confirm();
    scene.pass(5s);
    REQUIRE(scene.harness.reply_to(asked).value().result);
    CHECK(scene.count_of_events("pool.draining") == 0);
    CHECK(scene.member_names().size() == 1);
}
