// Which nodes are in a pool because of their labels.

#include <string>
#include <vector>

#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::FakeAgent;
using muster::coordinator::testing::PoolScene;

namespace {

using Names = std::vector<std::string>;

PoolChanges with_match(std::vector<std::string> match) {
    return {.provider = "none", .match = std::move(match)};
}

/// Another start of its agent, with these labels.
void say(PoolScene& scene, const std::string& node, const Labels& labels) {
    FakeAgent& fake = scene.harness[node];
    fake.offer.labels = labels;
    fake.incarnation = Incarnation{raw(fake.incarnation) + 1};
    scene.harness.send_hello(fake);
    scene.pass(3s);
}

/// The pool that has the only node.
std::string pool_of(PoolScene& scene) {
    std::string found;
    for (const PoolView& pool : scene.harness.read<PoolListReply>(PoolListRequest{}).pools) {
        found = pool.nodes > 0 ? pool.name : found;
    }
    return found;
}

}  // namespace

TEST_CASE("a node that names no pool is in the one that matches its labels", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create(with_match({"gpu = yes", "rack in (r7, r8)"})));
    scene.join("n-1", "default");
    scene.join("n-2", "own");
    scene.pass(2s);
    CHECK(scene.member_names().empty());
    say(scene, "n-1", {{"gpu", "yes"}, {"rack", "r8"}});
    say(scene, "n-2", {{"gpu", "yes"}, {"rack", "r8"}});
    CHECK(scene.member_names() == Names{"n-1"});
    CHECK(scene.harness.read<PoolShowReply>(PoolShowRequest{"own"}).nodes.size() == 1);
    say(scene, "n-1", {{"gpu", "yes"}, {"rack", "r9"}});
    CHECK(scene.member_names().empty());
    CHECK(scene.harness.read<PoolShowReply>(PoolShowRequest{"default"}).nodes.size() == 1);
}

// Goal: work of the pool goes to nodes that come into it, and leaves those that go out of it.
TEST_CASE("nodes change their pool when definitions change", "[pools][scaling]") {
    PoolScene scene;
    scene.join("n-1", "default").offer.labels = {{"gpu", "yes"}};
    scene.harness.send_hello(scene.harness["n-1"]);
    REQUIRE(scene.create(with_match({})));
    WantedTask task = testing::CoordinatorHarness::wanted("work", 1);
    task.place.pool = "web";
    REQUIRE(scene.harness.ask(ApplyRequest{.tasks = {task}}, scene.harness.fresh_id())->result);
    scene.pass(3s);
    CHECK(scene.member_names().empty());
    CHECK(scene.harness.running("work") == 0);

    REQUIRE(scene.set(with_match({"gpu exists"})));
    scene.pass(3s);
    CHECK(scene.member_names() == Names{"n-1"});
    CHECK(scene.harness.running("work") == 1);

    // Of two that match, the first by name has it.
    REQUIRE(scene.change(PoolCreateRequest{"alpha", with_match({"gpu = yes"})}));
    scene.pass(3s);
    CHECK(pool_of(scene) == "alpha");
    REQUIRE(scene.change(PoolRemoveRequest{"alpha"}));
    scene.pass(3s);
    CHECK(pool_of(scene) == "web");
    REQUIRE(scene.set(with_match({"node = n-2"})));
    scene.pass(1s);
    CHECK(pool_of(scene) == "default");
    REQUIRE(scene.set(with_match({"node = n-1"})));
    scene.pass(1s);
    CHECK(pool_of(scene) == "web");
}

TEST_CASE("the pool on the operators' list comes before a match", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create(with_match({"gpu = yes"})));
    scene.join("n-1", "default").offer.labels = {{"gpu", "yes"}};
    scene.harness.send_hello(scene.harness["n-1"]);
    scene.pass(1s);
    CHECK(pool_of(scene) == "web");
    const auto list = [&](const std::string& pool) {
        REQUIRE(scene.harness
                    .ask(NodeAddRequest{{{.name = "n-1", .pool = pool}}}, scene.harness.fresh_id())
                    ->result);
        scene.pass(1s);
    };
    list("default");
    CHECK(pool_of(scene) == "default");
    list("");
    CHECK(pool_of(scene) == "web");
    list("own");
    CHECK(pool_of(scene) == "own");
    list("");
    CHECK(pool_of(scene) == "web");
}

TEST_CASE("a new leader knows the matches", "[pools][scaling]") {
    PoolScene first;
    REQUIRE(first.create(with_match({"gpu = yes"})));
    PoolScene second{first.image()};
    FakeAgent& fake = second.harness.add("n-1");
    fake.offer.labels = {{"gpu", "yes"}};
    second.harness.send_hello(fake);
    second.pass(10s);
    CHECK(second.member_names() == Names{"n-1"});
}

TEST_CASE("a match is kept in its canonical form, and a wrong one is refused",
          "[pools][scaling][bad_input]") {
    PoolScene scene;
    REQUIRE(scene.create(with_match({"rack in (r8,r7)"})));
    CHECK(scene.shown().spec.match == Names{"rack in (r7, r8)"});
    const auto wrong = scene.set(with_match({"rack ~ r7"}));
    REQUIRE_FALSE(wrong);
    CHECK_THAT(wrong.error().detail, Catch::StartsWith("match: "));
    const auto never = scene.set(with_match({"rack = r7", "rack = r8"}));
    REQUIRE_FALSE(never);
    CHECK(never.error().detail == "match: rack = r7 and rack = r8 leave no value of rack");
    const auto program = scene.set({.shadow = Names{"prophet"}});
    REQUIRE_FALSE(program);
    CHECK_THAT(program.error().detail, Catch::StartsWith("shadow is 'prophet'; it is"));
}
