// What the listings of a provider change, and which of them are not believed.

#include <iterator>
#include <string>
#include <vector>

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::PoolScene;

namespace {

using Names = std::vector<std::string>;

}  // namespace

// Goal: each listing is compared with all that is known. Method: nodes come and go that nobody
// asked for, some in the same listing.
TEST_CASE("the difference of each listing is exact, and joins count first",
          "[pools][scaling][SC-12]") {
    PoolScene scene;
    scene.make_nodes(4);
    const auto find = [&](const std::string& name) {
        scene.local.nodes[name] = {.id = "id-" + name, .node = name, .pool = "web"};
    };
    find("found");
    scene.pass(12s);
    CHECK(scene.in_state("requested") == Names{"found"});
    scene.join("found");
    scene.pass(12s);
    // It counts, so one of five is too much, and it is the newest.
    CHECK(scene.in_state("active").size() == 4);
    CHECK(scene.local.removals == std::vector{RemoveNode{"web", "id-found"}});

    REQUIRE(scene.change(PoolPauseRequest{"web"}));
    scene.die("web-04");
    scene.pass(6s);
    scene.local.nodes.erase("web-04");
    find("other");
    scene.pass(12s);
    CHECK(scene.harness.happened("pool.vanished", "web"));
    REQUIRE(scene.change(PoolResumeRequest{"web"}));
    scene.join("other");
    scene.pass(20s);
    CHECK(scene.in_state("active") == Names{"other", "web-01", "web-02", "web-03"});
    CHECK(scene.asked() == 4);  // The one that joined took the place of the one that went.

    // Of two listings between which nobody looks, only the last one counts.
    scene.local.nodes["brief"] = {.id = "id-brief", .node = "brief", .pool = "web"};
    scene.local.nodes.erase("brief");
    scene.pass(12s);
    CHECK(scene.shown().nodes.size() == 4);
    scene.local.nodes["of-others"] = {.id = "id-x", .node = "of-others", .pool = "db"};
    scene.pass(12s);
    CHECK(scene.shown().nodes.size() == 4);
}

// Goal: listings never queue up. Method: a provider that takes long for one.
TEST_CASE("one listing is under way at a time, so the last one read is the newest",
          "[pools][scaling][SC-13]") {
    PoolScene scene;
    scene.make_nodes(2);
    scene.local.is_slow = true;
    scene.pass(60s);
    CHECK(scene.calls_of<ListNodes>().size() == 1);
    scene.need(300);
    scene.pass(1s);
    CHECK(scene.calls_of<ProvisionNodes>().size() == 1);  // A slow listing blocks nothing else.
    scene.local.is_slow = false;
    scene.pass(3s);
    CHECK(scene.in_state("active").size() == 3);
    const std::size_t before = scene.local.listings;
    scene.pass(100s);
    CHECK(scene.local.listings - before >= 9);
    CHECK(scene.local.listings - before <= 12);
}

TEST_CASE("while listings fail, drains end and nothing else changes",
          "[pools][scaling][FN-30][SC-D14]") {
    PoolScene scene;
    scene.make_nodes(3, {.max_drain_ms = 10'000});
    scene.make_busy(3);
    scene.need(200);
    scene.pass(1s);
    REQUIRE(scene.in_state("draining").size() == 1);
    scene.local.cannot_list = "no route to the hypervisor";
    scene.pass(3s);
    scene.need(900);
    scene.pass(1s);
    scene.need(100);
    scene.pass(2s);
    const std::size_t drains = scene.count_of_events("pool.draining");
    const std::uint32_t asked = scene.asked();
    CHECK(scene.shown().alarm == "its provider cannot list its nodes: no route to the hypervisor");
    CHECK(scene.has_alarm("no route to the hypervisor"));
    CHECK(scene.harness.happened("pool.alarm", "web"));
    CHECK(scene.shown().decision.reason == "listing_failed");
    scene.need(5'000);
    scene.pass(30s);
    CHECK(scene.count_of_events("pool.draining") == drains);
    CHECK(scene.asked() == asked);
    CHECK(scene.in_state("draining").empty());
    CHECK_FALSE(scene.local.removals.empty());
    scene.local.cannot_list.clear();
    scene.pass(40s);
    CHECK(scene.harness.happened("pool.alarm_over", "web"));
    CHECK(scene.asked() > asked);
}

// Goal: a request does not expire because nobody can say whether its nodes have come; also in a
// pool that is paused.
TEST_CASE("nothing expires while listings fail", "[pools][scaling][SC-D14]") {
    PoolScene scene;
    REQUIRE(scene.create({.arrive_within_ms = 10'000}));
    scene.pass(2s);
    scene.local.brings = 0;
    scene.need(200);
    scene.pass(2s);
    REQUIRE(scene.slots() == 2);
    scene.local.cannot_list = "no route";
    if (GENERATE(true, false)) {
        REQUIRE(scene.change(PoolPauseRequest{"web"}));
    }
    scene.pass(60s);
    CHECK(scene.slots() == 2);
    CHECK(scene.count_of_events("pool.expired") == 0);
}

// Goal: a listing that misses many nodes is doubted, and an operator may accept it (S9).
TEST_CASE("a listing that misses many nodes freezes the pool and says so",
          "[pools][scaling][SC-D14]") {
    PoolScene scene;
    scene.make_nodes(8);
    auto& nodes = scene.local.nodes;
    const auto kept = nodes;
    const bool is_empty = GENERATE(true, false);
    if (is_empty) {
        nodes.clear();
    } else {
        nodes.erase(nodes.begin(), std::next(nodes.begin(), 3));
    }
    scene.pass(12s);
    scene.need(1'500);
    scene.pass(5s);
    CHECK(scene.shown().decision.reason == "listing_doubtful");
    CHECK(scene.has_alarm("of 8 nodes"));
    CHECK_THAT(scene.explained(), Catch::Contains("'muster pool resume web' accepts it"));
    CHECK(scene.in_state("active").size() == 8);
    scene.need(0);
    scene.pass(15s);
    CHECK(scene.member_names().size() == 8);
    CHECK(scene.count_of_events("pool.draining") == 0);

    SECTION("the next one is whole again") {
        nodes = kept;
        scene.pass(15s);
        CHECK(scene.shown().alarm.empty());
        CHECK(scene.shown().nodes.empty());
    }
    SECTION("only resuming accepts it, and what answers is never counted as gone") {
        REQUIRE(scene.set({.max = 50}));
        scene.pass(500ms);
        CHECK(scene.shown().decision.reason == "listing_doubtful");
        REQUIRE(scene.change(PoolResumeRequest{"web"}));
        scene.pass(500ms);
        CHECK(scene.shown().decision.reason != "listing_doubtful");
        CHECK(scene.count_of_events("pool.draining") == 1);
        CHECK(scene.count_of_events("pool.vanished") == 0);
    }
}

TEST_CASE("a listing that misses a few nodes is an alarm only", "[pools][scaling][SC-D14]") {
    PoolScene scene;
    scene.make_nodes(8);
    scene.local.nodes.erase("web-03");
    scene.pass(15s);
    CHECK(scene.shown().alarm == "provider 'local' does not list web-03");
    CHECK(scene.in_state("active").size() == 8);
    scene.need(900);
    scene.pass(15s);
    CHECK(scene.in_state("active").size() == 9);
    scene.die("web-03");
    scene.pass(15s);
    CHECK(scene.harness.happened("pool.vanished", "web"));
    CHECK(scene.shown().alarm.empty());
    CHECK(scene.in_state("active").size() == 9);
}

// Goal: the record of an agent that answers is not deleted, whatever a listing says. Method: its
// agent says that it is of another pool.
TEST_CASE("a node that joined another pool is not counted as gone", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.pass(2s);
    scene.local.is_joined = false;
    scene.need(100);
    scene.pass(2s);
    scene.join("web-01", "db");
    scene.pass(2s);
    CHECK(scene.member_names().empty());
    scene.local.nodes.clear();
    scene.pass(3s);
    REQUIRE(scene.change(PoolResumeRequest{"web"}));
    scene.pass(10s);
    CHECK(scene.harness.read<NodeListReply>(NodeListRequest{}).nodes.size() == 1);
}

// Goal: listings of a provider that names no requests fit, too.
TEST_CASE("a node takes the place of the oldest one that was asked for", "[pools][scaling]") {
    PoolScene scene;
    scene.local.names_requests = false;
    scene.make_nodes(3);
    CHECK(scene.slots() == 0);
    CHECK(scene.asked() == 3);
    scene.pass(10s);
    CHECK(scene.shown().nodes.size() == 3);
}

// Goal: one acceptance is enough, also for the listings after the next.
TEST_CASE("what an operator has accepted stays accepted until it is listed again",
          "[pools][scaling][SC-D14]") {
    PoolScene scene;
    scene.make_nodes(3);
    const auto kept = std::exchange(scene.local.nodes, {});
    scene.pass(15s);
    REQUIRE(scene.shown().decision.reason == "listing_doubtful");
    REQUIRE(scene.change(PoolResumeRequest{"web"}));
    scene.pass(40s);
    CHECK(scene.shown().decision.reason == "enough");
    CHECK(scene.in_state("active").size() == 3);
    scene.local.nodes = kept;
    scene.pass(15s);
    scene.local.nodes.clear();
    scene.pass(15s);
    CHECK(scene.shown().decision.reason == "listing_doubtful");
}

// Goal: a machine that fails before its agent starts stops a pool for a bounded time.
TEST_CASE("a node that vanishes before it joins is asked for again", "[pools][scaling][FN-D3]") {
    PoolScene scene;
    REQUIRE(scene.create({.arrive_within_ms = 5'000}));
    scene.local.is_joined = false;
    scene.need(100);
    scene.pass(2s);
    scene.local.nodes.clear();
    scene.local.is_joined = true;
    scene.pass(2s);
    CHECK(scene.asked() == 1);
    scene.pass(8s);
    CHECK(scene.asked() == 2);
    CHECK(scene.in_state("active").size() == 1);
}

// Goal: whatever a provider lists, nodes of others stay as they are.
TEST_CASE("a pool does not take nodes of others that its provider lists",
          "[pools][scaling][bad_input]") {
    PoolScene scene;
    const std::string pool = GENERATE("default", "db");
    scene.join("db-1", pool);
    scene.pass(2s);
    REQUIRE(
        scene.harness.ask(NodeOfflineRequest{.pattern = "db-1"}, scene.harness.fresh_id())->result);
    scene.make_nodes(1);
    scene.local.nodes["db-1"] = {.id = "i-db", .node = "db-1", .pool = "web"};
    scene.pass(12s);
    CHECK(scene.shown().nodes.size() == 1);
    CHECK(scene.shown().alarm == "provider 'local' lists db-1, which is not of this pool");
    scene.local.nodes.erase("db-1");
    scene.die("db-1");
    scene.pass(15s);
    CHECK(scene.harness.node("db-1").intent == "offline");
    CHECK(scene.shown().alarm.empty());
}

TEST_CASE("a key that an admin has added stays when its node is gone", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.harness
                .ask(KeyAddRequest{.name = "web-01",
                                   .role = Role::agent,
                                   .key = to_string(testing::some_key(7))},
                     scene.harness.fresh_id())
                ->result);
    scene.make_nodes(1);
    scene.need(0);
    scene.pass(20s);
    REQUIRE(scene.shown().nodes.empty());
    const auto keys = scene.harness.read<KeysReply>(KeyListRequest{}).keys;
    CHECK(std::ranges::count(keys, "web-01", &KeyView::name) == 1);
}

TEST_CASE("a node whose machine was replaced is removed under its new id", "[pools][scaling]") {
    PoolScene scene;
    scene.make_nodes(1);
    scene.local.nodes.at("web-01").id = "i-new";
    scene.pass(12s);
    scene.need(0);
    scene.pass(15s);
    REQUIRE_FALSE(scene.local.removals.empty());
    for (const RemoveNode& removal : scene.local.removals) {
        CHECK(removal.id == "i-new");
    }
    CHECK(scene.shown().nodes.empty());
}

// Goal: an agent need not know the pool that its provider has made it for.
TEST_CASE("a node of a provider that names no pool is in that of its provider",
          "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.local.is_joined = false;
    const bool joins_first = GENERATE(true, false);
    scene.need(100);
    if (joins_first) {
        scene.pass(200ms);
        scene.join("web-01", "default");
    }
    scene.pass(2s);
    if (!joins_first) {
        scene.join("web-01", "default");
        scene.pass(2s);
    }
    CHECK(scene.member_names() == Names{"web-01"});
    CHECK(scene.in_state("active") == Names{"web-01"});
}

TEST_CASE("a node of a provider that serves in another pool is an alarm", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.local.is_joined = false;
    scene.need(100);
    scene.pass(2s);
    scene.join("web-01", "db");
    scene.pass(2s);
    CHECK(scene.has_alarm("its node web-01 serves in pool 'db'"));
    CHECK(scene.count_of_events("pool.active") == 0);
}

TEST_CASE("a pool takes as many nodes as it may have", "[pools][scaling][bad_input]") {
    PoolScene scene;
    REQUIRE(scene.create());
    for (std::uint32_t at = 0; at <= limits::pool_nodes; ++at) {
        const std::string name = "extra-" + std::to_string(at);
        scene.local.nodes[name] = {.id = name, .node = name, .pool = "web"};
    }
    scene.pass(300ms);
    CHECK(scene.shown().decision.nodes == limits::pool_nodes);
    CHECK(scene.shown().alarm == "provider 'local' lists more than 10000 nodes of the pool");
}
