// The calls of a provider, and what its answers change.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::PoolScene;

namespace {

using Names = std::vector<std::string>;

std::set<std::string> requests_of(const PoolScene& scene) {
    std::set<std::string> requests;
    for (const ProvisionNodes& provision : scene.local.provisions) {
        requests.insert(provision.request);
    }
    return requests;
}

}  // namespace

// Goal: a refusal changes nothing of what is wanted, and a provider in trouble is not flooded.
TEST_CASE("a refused request is repeated with growing pauses", "[pools][scaling][FN-29]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.pass(2s);
    scene.local.refuses = "the quota is used up";
    scene.need(300);
    scene.pass(20s);
    CHECK(scene.local.provisions.size() >= 4);
    CHECK(scene.local.provisions.size() <= 6);
    CHECK(requests_of(scene).size() == 1);
    CHECK(scene.asked() == 3);
    CHECK(scene.shown().decision.wanted == 300);
    CHECK(scene.slots() == 3);
    CHECK(scene.shown().alarm == "its provider fails: the quota is used up");
    CHECK(scene.has_alarm("the quota is used up"));
    CHECK_THAT(scene.explained(), Catch::Contains("the quota is used up"));
    scene.local.refuses.clear();
    scene.pass(35s);
    CHECK(scene.in_state("active").size() == 3);
    CHECK(requests_of(scene).size() == 1);
    CHECK(scene.shown().alarm.empty());
    CHECK(scene.harness.status().alarms.empty());
    CHECK(scene.harness.happened("pool.alarm", "web"));
}

// Goal: a provider that grants fewer nodes than it was asked for is not asked again at once.
TEST_CASE("what a provider does not grant is asked for again after a while",
          "[pools][scaling][FN-29]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.pass(2s);
    scene.local.grants = GENERATE(0U, 2U);
    const std::uint32_t granted = scene.local.grants;
    scene.need(500);
    scene.pass(3s);
    CHECK(scene.slots() == 0);
    CHECK(scene.in_state("active").size() >= granted);
    CHECK_THAT(scene.shown().alarm, Catch::Contains("of 5 nodes") || Catch::Contains("of 3 nodes"));
    CHECK(scene.shown().decision.reason == "short");
    CHECK(scene.has_alarm("its provider granted"));
    scene.local.grants = 0;
    scene.pass(60s);
    CHECK(scene.local.provisions.size() <= 9);
    scene.local.grants = 999;
    scene.pass(60s);
    CHECK(scene.in_state("active").size() == 5);
    CHECK(scene.shown().alarm.empty());
}

TEST_CASE("a grant of more than was asked for makes no difference", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.pass(2s);
    scene.local.is_slow = true;
    scene.need(300);
    scene.pass(1s);
    const auto calls = scene.calls_of<ProvisionNodes>();
    REQUIRE(calls.size() == 1);
    scene.harness.give(OutsideAnswer{calls[0].number, NodesGranted{1'000}});
    scene.pass(1s);
    CHECK(scene.slots() == 3);
    CHECK(scene.shown().decision.capacity == 300);
}

// Goal: one answer has one effect, and an answer to what nobody waits for has none.
TEST_CASE("an answer to an old call is ignored", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.pass(2s);
    scene.local.is_slow = true;
    scene.need(300);
    scene.pass(1s);
    const auto calls = scene.calls_of<ProvisionNodes>();
    REQUIRE(calls.size() == 1);
    scene.harness.give(OutsideAnswer{calls[0].number, NodesGranted{3}});
    scene.pass(1s);
    for (const std::uint64_t number : {std::uint64_t{0}, calls[0].number, std::uint64_t{999}}) {
        scene.harness.give(OutsideAnswer{number, NodesGranted{0}});
        scene.harness.give(OutsideAnswer{number, NodesListed{}});
        scene.harness.give(OutsideAnswer{number, CallFailed{"too late"}});
        scene.pass(1s);
        CHECK(scene.slots() == 3);
        CHECK(scene.shown().alarm.empty());
    }
}

// Goal: the core does not rely on the shell for the kind of an answer.
TEST_CASE("an answer of another kind is a failure", "[pools][scaling][bad_input]") {
    PoolScene scene;
    scene.make_nodes(2);
    scene.local.is_slow = true;
    scene.need(300);
    scene.pass(15s);
    REQUIRE(scene.harness.calls.size() == 2);
    for (const OutsideCall& call : std::exchange(scene.harness.calls, {})) {
        const bool is_listing = std::holds_alternative<ListNodes>(call.what);
        scene.harness.give(OutsideAnswer{call.number, is_listing ? OutsideResult{NodesGranted{3}}
                                                                 : OutsideResult{NodesListed{}}});
    }
    scene.pass(100ms);
    CHECK_THAT(scene.shown().alarm, Catch::Contains("it gave another answer"));
    CHECK(scene.in_state("active").size() == 2);
    CHECK(scene.slots() == 1);
    scene.local.is_slow = false;
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 3);
    CHECK(scene.shown().alarm.empty());
}

// Goal: what does not come is asked for again, and what comes late is not lost.
TEST_CASE("a granted node that does not come in time is asked for again",
          "[pools][scaling][FN-D3]") {
    PoolScene scene;
    REQUIRE(scene.create({.arrive_within_ms = 10'000}));
    scene.local.brings = 0;
    scene.need(200);
    scene.pass(5s);
    CHECK(scene.slots() == 2);
    CHECK(scene.local.provisions.size() == 1);
    scene.local.brings = 999;
    scene.pass(10s);
    CHECK(scene.harness.happened("pool.expired", "web"));
    CHECK(requests_of(scene).size() == 2);
    CHECK(scene.in_state("active").size() == 2);
    scene.pass(20s);
    CHECK(scene.asked() == 4);
}

TEST_CASE("a node that never says hello is removed and asked for again",
          "[pools][scaling][FN-D3]") {
    PoolScene scene;
    REQUIRE(scene.create({.arrive_within_ms = 10'000}));
    scene.local.is_joined = false;
    scene.need(100);
    scene.pass(5s);
    CHECK(scene.in_state("requested") == Names{"web-01"});
    scene.local.is_joined = true;
    scene.pass(15s);
    REQUIRE(scene.local.removals.size() >= 1);
    CHECK(scene.local.removals[0].id == "i-1");
    CHECK(scene.in_state("active") == Names{"web-02"});
    CHECK(requests_of(scene).size() == 2);
    CHECK(scene.shown().nodes.size() == 1);
}

// Goal: a provider that takes long stops nothing else.
TEST_CASE("adverts and members are served while a provider works", "[pools][scaling][FN-D5]") {
    PoolScene scene;
    scene.make_nodes(1);
    scene.local.is_slow = true;
    scene.need(300);
    scene.pass(10s);
    CHECK(scene.calls_of<ProvisionNodes>().size() == 1);
    CHECK(scene.member_names() == Names{"web-01"});
    scene.need(600);
    CHECK(scene.shown().decision.wanted >= 300);
    scene.pass(1s);
    CHECK(scene.shown().decision.wanted == 600);
    scene.local.is_slow = false;
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 6);
    CHECK(scene.asked() == 6);
}

// Goal: only a listing shows that a node is gone.
TEST_CASE("a removal is repeated until the node is not listed", "[pools][scaling][FN-D6]") {
    PoolScene scene;
    scene.make_nodes(1);
    const bool fails = GENERATE(true, false);
    scene.local.removes = !fails;
    scene.local.keeps = !fails;
    scene.need(0);
    scene.pass(20s);
    CHECK(scene.local.removals.size() >= 3);
    CHECK(scene.local.removals.size() <= 6);
    CHECK(scene.in_state("removing") == Names{"web-01"});
    CHECK(scene.has_alarm("the machine does not stop") == fails);
    scene.local.removes = true;
    scene.local.keeps = false;
    scene.pass(40s);
    CHECK(scene.shown().nodes.empty());
    CHECK(scene.harness.happened("pool.gone", "web"));
    CHECK(scene.harness.read<NodeListReply>(NodeListRequest{}).nodes.empty());
}

// Goal: what is asked for is in the store first, and nothing is decided of a pool that goes.
TEST_CASE("nothing is asked before it is durable, or of a pool that is removed",
          "[pools][scaling][FN-D12]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.pass(2s);
    scene.harness.store_works = false;
    SECTION("a request") {
        scene.need(200);
        scene.pass(3s);
        CHECK(scene.local.provisions.empty());
        scene.harness.store_works = true;
        scene.harness.confirm();
        scene.pass(3s);
        CHECK(scene.in_state("active").size() == 2);
        CHECK(scene.asked() == 2);
    }
    SECTION("a removal") {
        scene.harness.request(PoolRemoveRequest{"web"}, scene.harness.fresh_id());
        scene.need(200);
        scene.pass(3s);
        scene.harness.store_works = true;
        scene.harness.confirm();
        scene.pass(3s);
        CHECK(scene.local.provisions.empty());
        CHECK(scene.image().pool_nodes.empty());
        CHECK_FALSE(scene.shown().defined);
    }
}

// Goal: whoever runs a list of nodes need not list those that a provider makes.
TEST_CASE("nodes of a provider may join where only listed ones may", "[pools][scaling]") {
    auto options = PoolScene::with_programs();
    options.listed_only = true;
    PoolScene scene{testing::CoordinatorHarness::empty_store(), options};
    REQUIRE(scene.create());
    scene.local.is_joined = false;
    scene.need(100);
    scene.pass(3s);
    scene.join("stranger");
    CHECK(scene.harness.status().refused_names == std::vector<std::string>{"stranger"});
    scene.join("web-01");
    scene.pass(2s);
    CHECK(scene.member_names() == std::vector<std::string>{"web-01"});
    // It is of no provider any more once it is gone.
    scene.need(0);
    scene.pass(20s);
    REQUIRE(scene.shown().nodes.empty());
    scene.join("web-01");
    CHECK_FALSE(scene.harness["web-01"].refusals.empty());
}

TEST_CASE("a node that came before its provider listed it is refused no more", "[pools][scaling]") {
    auto options = PoolScene::with_programs();
    options.listed_only = true;
    PoolScene scene{testing::CoordinatorHarness::empty_store(), options};
    REQUIRE(scene.create());
    scene.local.is_joined = false;
    scene.join("web-01");
    CHECK(scene.harness.status().refused_names == std::vector<std::string>{"web-01"});
    scene.need(100);
    scene.pass(3s);
    CHECK(scene.harness.status().refused_names.empty());
}

// Goal: the coordinator goes on to answer, however many nodes a provider has too many.
TEST_CASE("a provider is asked for a bounded number of things at once", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.arrive_within_ms = 2'000}));
    for (int at = 0; at < 100; ++at) {
        const std::string name = "extra-" + std::to_string(at);
        scene.local.nodes[name] = {.id = name, .node = name, .pool = "web"};
    }
    scene.pass(2s);
    scene.local.is_slow = true;
    scene.pass(4s);
    REQUIRE(scene.in_state("removing").size() == 100);
    CHECK(scene.calls_of<RemoveNode>().size() == 16);
    CHECK(scene.calls_of<ListNodes>().size() == 1);
    scene.local.is_slow = false;
    scene.pass(10s);
    CHECK(scene.shown().nodes.empty());
    CHECK(scene.local.nodes.empty());
}

// Goal: what an operator removes does not come back, and its machine goes.
TEST_CASE("a node of a pool that an operator removes is removed at its provider",
          "[pools][scaling]") {
    auto options = PoolScene::with_programs();
    options.listed_only = GENERATE(true, false);
    PoolScene scene{testing::CoordinatorHarness::empty_store(), options};
    REQUIRE(scene.create());
    scene.local.is_joined = false;
    scene.need(100);
    scene.pass(2s);
    scene.join("web-01");
    scene.pass(2s);
    REQUIRE(scene.in_state("active").size() == 1);
    scene.local.is_joined = true;
    REQUIRE(
        scene.harness
            .ask(NodeRemoveRequest{.pattern = "web-01", .force = true}, scene.harness.fresh_id())
            ->result);
    scene.harness.send_hello(scene.harness["web-01"]);
    CHECK_FALSE(scene.harness["web-01"].refusals.empty());
    scene.pass(3s);
    REQUIRE_FALSE(scene.local.removals.empty());
    CHECK(scene.local.removals.front().id == "i-1");
}
