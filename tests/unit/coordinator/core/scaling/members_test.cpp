// Which nodes of a pool serve, and what is read of a pool.

#include "coordinator/core/scaling/members.hpp"

#include <string>
#include <vector>

#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::PoolScene;

namespace {

using Names = std::vector<std::string>;

/// A pool whose nodes no provider makes.
PoolChanges fixed() { return {.provider = "none"}; }

}  // namespace

TEST_CASE("a pool without nodes has an empty list of members", "[pools][scaling][FN-04]") {
    PoolScene scene;
    REQUIRE(scene.create());
    const auto reply = scene.members();
    CHECK(reply.members.empty());
    CHECK(reply.since == 0);
    CHECK(reply.version > 0);
    CHECK(reply.epoch == 3);
}

TEST_CASE("members are listed in the order in which they began to serve",
          "[pools][scaling][FN-05]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.local.made = 50;
    scene.need(100);
    scene.pass(3s);
    scene.local.made = 10;
    scene.need(200);
    scene.pass(3s);
    CHECK(scene.member_names() == Names{"web-51", "web-11"});
    CHECK(scene.members().members[0].amount == 100);
}

TEST_CASE("those that joined, and no others, are added to the end", "[pools][scaling][FN-06]") {
    PoolScene scene;
    REQUIRE(scene.create(fixed()));
    for (const auto* const name : {"n-01", "n-02", "n-19"}) {
        scene.join(name);
        scene.pass(2s);
    }
    CHECK(scene.member_names() == Names{"n-01", "n-02", "n-19"});
    scene.die("n-02");
    scene.die("n-19");
    scene.join("n-03");
    scene.pass(8s);
    CHECK(scene.member_names() == Names{"n-01", "n-03"});
}

// Goal: clients know whether their list is the newest, also of a pool that was defined anew.
TEST_CASE("each list of members has a version, which no other list has",
          "[pools][scaling][FN-07]") {
    PoolScene scene;
    REQUIRE(scene.create(fixed()));
    scene.pass(1s);
    const auto empty = scene.members();
    scene.join("n-01");
    scene.pass(3s);
    const auto one = scene.members();
    CHECK(one.version > empty.version);
    scene.pass(5s);
    CHECK(scene.members() == one);
    const auto same = scene.harness.read<PoolMembersReply>(
        PoolMembersRequest{.name = "web", .epoch = one.epoch, .version = one.version});
    CHECK(same.since == one.version);
    CHECK(same.members.empty());
    CHECK(same.left.empty());
    CHECK(same.version == one.version);
    const auto other = scene.harness.read<PoolMembersReply>(
        PoolMembersRequest{.name = "web", .epoch = one.epoch + 1, .version = one.version});
    CHECK(other.since == 0);
    CHECK(other.members.size() == 1);
    CHECK(scene.harness.happened("pool.members", "web"));

    scene.die("n-01");
    scene.pass(6s);
    REQUIRE(scene.change(PoolRemoveRequest{"web"}));
    REQUIRE(scene.create(fixed()));
    scene.pass(1s);
    CHECK(scene.members().version > one.version);
}

// Goal: a client that applies what it gets has the list of the coordinator, whatever it missed.
TEST_CASE("a client gets what changed since its list", "[pools][scaling][FN-05][FN-07]") {
    PoolScene scene;
    REQUIRE(scene.change(PoolCreateRequest{"other", fixed()}));
    scene.pass(1s);
    REQUIRE(scene.create(fixed()));
    for (const auto* const name : {"n-1", "n-2", "n-3"}) {
        scene.join(name);
        scene.pass(2s);
    }
    const auto before = scene.members();
    scene.die("n-2");
    scene.pass(8s);
    scene.join("n-4");
    scene.pass(2s);
    scene.join("n-5");
    scene.pass(2s);
    scene.die("n-5");
    scene.pass(8s);
    const auto since = [&](std::uint64_t version) {
        return scene.harness.read<PoolMembersReply>(
            PoolMembersRequest{.name = "web", .epoch = before.epoch, .version = version});
    };
    const auto change = since(before.version);
    CHECK(change.since == before.version);
    CHECK(change.left == Names{"n-2", "n-5"});
    REQUIRE(change.members.size() == 1);
    CHECK(change.members[0].node == "n-4");
    CHECK(scene.member_names() == Names{"n-1", "n-3", "n-4"});
    CHECK(since(change.version).members.empty());
    // Versions that no list of this pool has.
    CHECK(since(change.version + 1).members.size() == 3);
    CHECK(since(0).members.size() == 3);
    CHECK(since(1).since == 0);  // Of the other pool: before the first list of this one.
}

// Goal: a client does not go on to use an address at which a node is no more.
TEST_CASE("a member that comes back with another address is a change", "[pools][scaling][FN-07]") {
    PoolScene scene;
    REQUIRE(scene.create(fixed()));
    scene.join("n-1").offer.labels["address"] = "10.0.0.1:80";
    scene.harness.send_hello(scene.harness["n-1"]);
    scene.join("n-2");
    scene.pass(3s);
    const auto before = scene.members();
    REQUIRE(before.members[0].address == "10.0.0.1:80");
    auto& fake = scene.harness["n-1"];
    fake.offer.labels["address"] = "10.0.0.9:80";
    fake.incarnation = Incarnation{raw(fake.incarnation) + 1};
    scene.harness.send_hello(fake);
    scene.pass(3s);
    const auto change = scene.harness.read<PoolMembersReply>(
        PoolMembersRequest{.name = "web", .epoch = before.epoch, .version = before.version});
    CHECK(change.left == Names{"n-1"});
    REQUIRE(change.members.size() == 1);
    CHECK(change.members[0].address == "10.0.0.9:80");
    CHECK(scene.member_names() == Names{"n-2", "n-1"});
}

TEST_CASE("of the members that left a bounded number is known", "[pools][scaling][FN-07]") {
    coordinator::Members list;
    list.update("web", {});
    for (std::uint64_t round = 0; round <= coordinator::Members::most_left; ++round) {
        list.update("web", {{"a", "", round}});
    }
    list.update("web", {});
    const auto& of_web = *list.find("web");
    CHECK(of_web.left.size() == coordinator::Members::most_left);
    // Of each version after this one all are known.
    CHECK(of_web.left_known_since == of_web.left.front().in_version - 1);
}

TEST_CASE("a pool without a provider has the nodes that join", "[pools][scaling][FN-08]") {
    PoolScene scene;
    REQUIRE(scene.create(fixed()));
    for (int at = 1; at <= 5; ++at) {
        scene.join("n-" + std::to_string(at));
    }
    scene.join("elsewhere", "other");
    scene.pass(3s);
    CHECK(scene.member_names().size() == 5);
    CHECK(scene.in_state("fixed").size() == 5);
    CHECK(scene.shown().decision.nodes == 5);
}

TEST_CASE("demand of a pool without a provider has no effect", "[pools][scaling][FN-09]") {
    PoolScene scene;
    REQUIRE(scene.create(fixed()));
    scene.join("n-1");
    scene.pass(2s);
    scene.need(GENERATE(Amount{0}, Amount{100'000}));
    scene.pass(20s);
    CHECK(scene.in_state("fixed").size() == 1);
    CHECK(scene.member_names() == Names{"n-1"});
    CHECK(scene.harness.calls.empty());
    CHECK(scene.local.listings == 0);
    CHECK(scene.shown().decision.reason == "fixed");
    CHECK(scene.harness.node("n-1").intent == "active");
}

TEST_CASE("a node more is a member more, and a node less is one less",
          "[pools][scaling][FN-10][FN-11]") {
    PoolScene scene;
    REQUIRE(scene.create(fixed()));
    scene.join("n-1");
    scene.join("n-2");
    scene.pass(3s);
    REQUIRE(scene.member_names().size() == 2);
    scene.join("n-3");
    scene.pass(2s);
    CHECK(scene.member_names() == Names{"n-1", "n-2", "n-3"});
    const auto take = [&] {
        const auto reply = scene.harness.ask(NodeOfflineRequest{"n-2"}, scene.harness.fresh_id());
        REQUIRE(reply);
        CHECK(reply->result);
        scene.pass(2s);
        return scene.members();
    };
    const auto after = take();
    CHECK(scene.member_names() == Names{"n-1", "n-3"});
    CHECK(take() == after);
}

// Goal: who asks for a pool that does not exist learns so, and makes none.
TEST_CASE("a read of an unknown pool says so and makes none", "[pools][scaling][FN-D7]") {
    PoolScene scene;
    const auto refused = [&](CoreRequestBody body) {
        const auto reply = scene.harness.ask(std::move(body));
        REQUIRE(reply);
        REQUIRE_FALSE(reply->result);
        return reply->result.error();
    };
    for (const CoreRequestBody& body :
         {CoreRequestBody{PoolShowRequest{"web"}}, CoreRequestBody{PoolMembersRequest{"web"}},
          CoreRequestBody{ExplainRequest{Subject::pool, "web"}}}) {
        CHECK(refused(body).code == Errc::not_found);
        CHECK_THAT(refused(body).detail, Catch::Contains("there is no such pool: 'web'"));
    }
    CHECK(scene.harness.read<PoolListReply>(PoolListRequest{}).pools.empty());
    // Demand makes one, until it is not repeated.
    scene.harness.ask(DemandSetRequest{.reporter = "lb", .needs = {{"web", 5}}});
    CHECK_FALSE(scene.shown().defined);
    CHECK(scene.explained().find("it has no definition") != std::string::npos);
    CHECK(refused(PoolMembersRequest{"web"}).code == Errc::busy);
    scene.pass(12s);
    CHECK(refused(PoolShowRequest{"web"}).code == Errc::not_found);
}
