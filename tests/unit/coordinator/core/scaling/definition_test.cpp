// Requests that define pools: what is refused, and what a pause means.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/scaling/pool_scene.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

using Schedule = std::vector<std::string>;

struct Wrong {
    PoolChanges changes;
    std::string text;
};

std::vector<Wrong> wrong_definitions() {
    constexpr std::uint64_t day = 86'400'000;
    constexpr std::uint64_t most = ~std::uint64_t{0};
    const std::string of_day = "it is a whole number from 0 to 86400000";
    return {
        {{.min = 5, .max = 4}, "min is 5; it is at most max, which is 4"},
        {{.min = 101}, "min is 101; it is at most max, which is 100"},
        {{.max = limits::pool_nodes + 1}, "max is 10001; it is a whole number from 0 to 10000"},
        {{.max = ~0U}, "max is 4294967295"},
        {{.step = 0}, "step is 0; it is a whole number from 1 to 10000"},
        {{.drain_budget = 0}, "drain_budget is 0; it is a whole number from 1 to 10000"},
        {{.node_amount = 1'000'000'001}, "node_amount is 1000000001"},
        {{.arrive_within_ms = 999},
         "arrive_within_ms is 999; it is a whole number from 1000 to 86400000"},
        {{.arrive_within_ms = most}, "arrive_within_ms is 18446744073709551615"},
        {{.max_drain_ms = day + 1}, "max_drain_ms is 86400001; " + of_day},
        {{.up_cooldown_ms = most}, "up_cooldown_ms is 18446744073709551615; " + of_day},
        {{.down_cooldown_ms = day + 1}, "down_cooldown_ms is 86400001; " + of_day},
        {{.demand_ttl_ms = 999}, "demand_ttl_ms is 999; it is a whole number from 1000 to 3600000"},
        {{.demand_ttl_ms = 3'600'001}, "demand_ttl_ms is 3600001"},
        {{.provider = "cloud"}, "there are local, other"},
        {{.provider = ""}, "provider is ''"},
        {{.predictor = "tarot"}, "there are oracle"},
        {{.predictor = "schedule"}, "the predictor schedule needs a schedule"},
        {{.schedule = Schedule{"mon 08:00 5", "mon 25:00 5"}}, "schedule: "},
        {{.schedule = Schedule{"mon 08:00 99999999999999999999"}}, "schedule: "},
    };
}

}  // namespace

TEST_CASE("a definition that makes no sense is refused", "[pools][scaling][bad_input]") {
    for (const Wrong& wrong : wrong_definitions()) {
        INFO(wrong.text);
        PoolScene scene;
        const auto created = scene.create(wrong.changes);
        REQUIRE_FALSE(created);
        CHECK(created.error().code == Errc::invalid);
        CHECK_THAT(created.error().detail, Catch::Contains(wrong.text));
        REQUIRE(scene.create());
        const auto before = scene.shown().spec;
        const auto set = scene.set(wrong.changes);
        REQUIRE_FALSE(set);
        CHECK_THAT(set.error().detail, Catch::Contains(wrong.text));
        CHECK(scene.shown().spec == before);
    }
}

TEST_CASE("a definition is made, changed and removed", "[pools][scaling]") {
    PoolScene scene;
    CHECK(scene.set({.min = 1}).error().code == Errc::not_found);
    CHECK(scene.change(PoolRemoveRequest{"web"}).error().code == Errc::not_found);
    CHECK(scene.change(PoolPauseRequest{"web"}).error().code == Errc::not_found);
    CHECK(scene.change(PoolResumeRequest{"web"}).error().code == Errc::not_found);
    CHECK(scene.change(PoolCreateRequest{"-web"}).error().code == Errc::invalid);
    const auto created = scene.change(PoolCreateRequest{"web", {.min = 1}, {.author = "ann"}});
    REQUIRE(created);
    CHECK(created->action == "created");
    CHECK(created->counter == Generation{11});
    CHECK(scene.create().error().code == Errc::exists);
    CHECK(scene.shown().spec.min == 1);
    CHECK(scene.shown().spec.max == PoolSpec{}.max);
    CHECK(scene.shown().author == "ann");
    CHECK(scene.harness.happened("pool.created", "web"));
    const auto changed = scene.set({.min = 1, .max = 9, .step = 2});
    REQUIRE(changed);
    CHECK(changed->action == "changed");
    CHECK(changed->fields == std::vector<std::string>{"max", "step"});
    CHECK(scene.count_of_events("pool.changed") == 1);
    CHECK(scene.set({.max = 9})->action == "unchanged");
    CHECK(scene.set({})->action == "unchanged");
    CHECK(scene.count_of_events("pool.changed") == 1);
    CHECK(scene.change(PoolRemoveRequest{"web"})->action == "removed");
    CHECK(scene.harness.ask(PoolShowRequest{"web"})->result.error().code == Errc::not_found);
    CHECK(scene.image().pools.empty());
}

TEST_CASE("a store without tables of pools refuses them", "[pools][scaling][upgrade]") {
    StoreImage image = CoordinatorHarness::empty_store();
    image.meta.schema = 10;
    PoolScene scene{image};
    const auto created = scene.create();
    REQUIRE_FALSE(created);
    CHECK(created.error().code == Errc::refused);
    CHECK_THAT(created.error().detail, Catch::Contains("muster upgrade finish"));
}

// Goal: no machine is left that nobody knows of.
TEST_CASE("a pool with nodes is not removed and keeps its provider", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.local.is_joined = GENERATE(true, false);
    scene.need(100);
    scene.pass(3s);
    const auto removed = scene.change(PoolRemoveRequest{"web"});
    REQUIRE_FALSE(removed);
    CHECK(removed.error().code == Errc::conflict);
    CHECK_THAT(removed.error().detail, Catch::Contains("set min and max to 0"));
    for (const auto* const provider : {"none", "other"}) {
        const auto changed = scene.set({.provider = provider});
        REQUIRE_FALSE(changed);
        CHECK(changed.error().code == Errc::conflict);
    }
    REQUIRE(scene.set({.min = 0, .max = 0}));
    if (!scene.local.is_joined) {
        scene.join("web-01");
    }
    scene.pass(15s);
    CHECK(scene.shown().nodes.empty());
    REQUIRE(scene.set({.provider = "other"}));
    REQUIRE(scene.change(PoolRemoveRequest{"web"}));
}

// Goal: a pause stops new drains and requests, and nothing that has begun.
TEST_CASE("a paused pool neither grows nor shrinks until it is resumed", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(200);
    scene.pass(3s);
    CHECK(scene.change(PoolPauseRequest{"web", {.author = "ann"}})->action == "paused");
    CHECK(scene.change(PoolPauseRequest{"web"})->action == "unchanged");
    CHECK(scene.count_of_events("pool.paused") == 1);
    scene.need(900);
    scene.pass(5s);
    scene.need(0);
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 2);
    CHECK(scene.asked() == 2);
    CHECK(scene.shown().paused);
    CHECK(scene.shown().decision.reason == "paused");
    CHECK_THAT(scene.explained(), Catch::Contains("paused by ann"));
    CHECK(scene.shown().alarm.empty());
    scene.need(300);
    CHECK(scene.change(PoolResumeRequest{"web"})->action == "resumed");
    CHECK(scene.count_of_events("pool.resumed") == 1);
    scene.pass(5s);
    CHECK(scene.in_state("active").size() == 3);
    CHECK_FALSE(scene.shown().paused);
}

TEST_CASE("a frozen cluster asks for no nodes and drains none", "[pools][scaling][freeze]") {
    PoolScene scene;
    REQUIRE(scene.create());
    scene.need(200);
    scene.pass(3s);
    scene.harness.ask(FreezeOnRequest{}, scene.harness.fresh_id());
    scene.need(GENERATE(Amount{900}, Amount{0}));
    scene.pass(10s);
    CHECK(scene.in_state("active").size() == 2);
    CHECK(scene.asked() == 2);
    CHECK(scene.shown().decision.reason == "frozen");
}

TEST_CASE("a repeated request gets the first answer and has one effect", "[pools][scaling]") {
    PoolScene scene;
    const RequestId id = scene.harness.fresh_id();
    const CoreRequestBody create = PoolCreateRequest{"web", {.min = 1}};
    const auto first = scene.harness.ask(create, id);
    REQUIRE(first->result);
    CHECK(scene.harness.ask(create, id) == first);
    CHECK(scene.count_of_events("pool.created") == 1);
    const auto other = scene.harness.ask(PoolCreateRequest{"web", {.min = 2}}, id);
    CHECK(other->result.error().code == Errc::conflict);
    CHECK(scene.shown().spec.min == 1);
}

TEST_CASE("demand that would outlive the wait of a new leader is refused", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.demand_ttl_ms = 15'000}));
    const auto need = [&](std::uint64_t ttl_ms) {
        return scene.harness
            .ask(DemandSetRequest{.reporter = "lb", .ttl_ms = ttl_ms, .needs = {{"web", 5}}})
            ->result;
    };
    CHECK(need(15'000));
    const auto refused = need(15'001);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::invalid);
    CHECK_THAT(refused.error().detail, Catch::Contains("demand_ttl_ms"));
}

TEST_CASE("an explanation says what was decided last, and what came before", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.max = 3}));
    scene.need(300);
    scene.pass(5s);
    const auto steady = scene.harness.read<ExplainReply>(ExplainRequest{Subject::pool, "web"});
    CHECK(steady.subject == Subject::pool);
    CHECK(steady.state == "steady");
    CHECK(steady.decided_by == "enough");
    CHECK(steady.detail == "300 is wanted and 300 is there: less than a node is too much");
    REQUIRE(steady.decisions.size() >= 3);
    scene.need(500);
    scene.pass(5s);
    const auto full = scene.harness.read<ExplainReply>(ExplainRequest{Subject::pool, "web"});
    CHECK(full.decided_by == "at_max");
    CHECK(full.detail == "500 is wanted and 300 is there, but it has at most 3 nodes");
}

// Goal: who is limited to some pools defines no other one.
TEST_CASE("limited keys define their own pools only", "[pools][scaling][keys]") {
    Keyed cluster;
    REQUIRE(cluster.ask(KeyAddRequest{.name = "ann",
                                      .role = Role::operator_,
                                      .key = to_string(some_key(2)),
                                      .pools = {"web-*"}}));
    REQUIRE(cluster.ask(KeyAddRequest{.name = "olga",
                                      .role = Role::operator_,
                                      .key = to_string(some_key(3)),
                                      .tasks = {"web-*"}}));
    REQUIRE(cluster.ask(PoolCreateRequest{"db"}));
    const Caller of_pools{.key = some_key(2)};
    const Caller of_tasks{.key = some_key(3)};
    REQUIRE(cluster.ask(PoolCreateRequest{"web-a"}));
    CHECK(cluster.ask(of_pools, PoolPauseRequest{"web-a"}));
    CHECK(cluster.ask(of_pools, PoolMembersRequest{"web-a"}));
    CHECK(cluster.ask(of_pools, PoolSetRequest{"web-a", {.max = 7}}));
    // It could take nodes out of any other pool.
    CHECK(code_of(cluster.ask(of_pools,
                              PoolSetRequest{"web-a", {.match = std::vector<std::string>{}}})) ==
          Errc::denied);
    for (const CoreRequestBody& body :
         {CoreRequestBody{PoolCreateRequest{"api"}}, CoreRequestBody{PoolSetRequest{"db"}},
          CoreRequestBody{PoolRemoveRequest{"db"}}, CoreRequestBody{PoolPauseRequest{"db"}},
          CoreRequestBody{PoolResumeRequest{"db"}}, CoreRequestBody{PoolShowRequest{"db"}},
          CoreRequestBody{PoolMembersRequest{"db"}}, CoreRequestBody{PoolShowRequest{"none"}},
          CoreRequestBody{PoolMembersRequest{"none"}},
          CoreRequestBody{ExplainRequest{Subject::pool, "db"}}}) {
        CHECK(code_of(cluster.ask(of_pools, body)) == Errc::denied);
        CHECK(code_of(cluster.ask(of_tasks, body)) == Errc::denied);
    }
    const auto observer = cluster.admit("otto", Role::observer, 4);
    CHECK(code_of(cluster.ask(observer, PoolCreateRequest{"api"})) == Errc::denied);
    CHECK(cluster.ask(observer, PoolShowRequest{"db"}));
}

// Goal: who may say what one pool needs changes nothing of another one.
TEST_CASE("a limited key does not speak for reporters of others", "[pools][scaling][keys]") {
    Keyed cluster;
    REQUIRE(cluster.ask(KeyAddRequest{
        .name = "ann", .role = Role::operator_, .key = to_string(some_key(2)), .pools = {"web"}}));
    const Caller ann{.key = some_key(2)};
    const DemandSetRequest of_api{
        .reporter = "lb", .life = 1, .sequence = 1, .needs = {{"api", 5}}};
    REQUIRE(cluster.ask(of_api));
    REQUIRE(cluster.ask(
        ann,
        DemandSetRequest{.reporter = "lb", .life = ~std::uint64_t{0}, .sequence = 7, .needs = {}}));
    DemandSetRequest next = of_api;
    next.sequence = 2;
    const auto reply = cluster.ask(next);
    REQUIRE(reply);
    CHECK(std::get<DemandReply>(*reply).newest);
    REQUIRE(cluster.ask(ann, DemandSetRequest{.reporter = "lb", .needs = {{"web", 3}}}));
    const auto list = cluster.ask(DemandListRequest{});
    REQUIRE(list);
    std::vector<std::string> reporters;
    for (const DemandView& view : std::get<DemandListReply>(*list).demand) {
        reporters.push_back(view.reporter);
    }
    CHECK(reporters == std::vector<std::string>{"lb", "ann/lb"});
}

TEST_CASE("the reason of a change is in its event", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    REQUIRE(scene.change(PoolPauseRequest{"web", {.reason = "a move", .author = "ann"}}));
    const auto events = scene.harness.read<EventsReply>(EventsRequest{}).events;
    const auto paused = std::ranges::find(events, "pool.paused", &Event::topic);
    REQUIRE(paused != events.end());
    CHECK_THAT(paused->detail, Catch::Contains("a move"));
}

TEST_CASE("who says what an undefined pool needs hears that it has no definition",
          "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create());
    const auto undefined = [&](std::vector<PoolNeedView> needs) {
        return scene.harness
            .read<DemandReply>(DemandSetRequest{.reporter = "lb", .needs = std::move(needs)})
            .undefined;
    };
    CHECK(undefined({{"wbe", 3}}));
    CHECK_FALSE(undefined({{"web", 3}}));
    CHECK_FALSE(undefined({{"wbe", 0}}));
}

// Goal: nothing wakes the coordinator for a pool that is gone. Method: it is removed while it waits
// for its next look, and it was the only one.
TEST_CASE("a pool that is removed while it is due leaves no deadline", "[pools][scaling]") {
    PoolScene scene;
    REQUIRE(scene.create({.provider = "none"}));
    scene.pass(1s);
    scene.need(100);
    scene.harness.pass(25ms);
    scene.need(200);
    scene.harness.pass(25ms);
    REQUIRE(scene.change(PoolRemoveRequest{"web"}));
    scene.harness.now += 1s;
    scene.harness.give(Wake{});
    CHECK(scene.harness.coordinator.next_deadline() > scene.harness.now);
}
