#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/liveness/freeze_scene.hpp"

// What operators see and can do while a cluster is frozen.

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

// Goal: during a freeze operators' requests take effect on nodes that answer.
// Method: half of the fleet is silent; a task is added, scaled and removed, a node drained.
TEST_CASE("operators' own changes take effect during a freeze, on nodes that answer",
          "[coordinator][freeze]") {
    CoordinatorHarness harness;
    freeze_by_silence(harness, {.nodes = 8, .instances = 4, .silent = 4, .from = 4});
    harness.want("db", 3);
    harness.pass(3s);
    CHECK(harness.running("db") == 3);
    harness.ask(TaskScaleRequest{"db", 4}, harness.fresh_id());
    harness.pass(2s);
    CHECK(harness.running("db") == 4);
    for (int node = 4; node < 8; ++node) {
        CHECK(harness["n" + std::to_string(node)].batches.size() <= 2);
    }
    CHECK(harness.read<ExplainReply>(ExplainRequest{Subject::node, "n5"}).decided_by == "silent");
    harness.ask(TaskRemoveRequest{"db"}, harness.fresh_id());
    harness.pass(2s);
    CHECK(harness.running("db") == 0);
    CHECK(freeze_shown(harness).on);
    CHECK(rescheduled(harness) == 0);
}

// Goal: unconfirmed information is not shown as current.
// Method: half of the fleet is silent during a freeze; query the status, a task and a node.
TEST_CASE("copies on silent nodes are counted as unconfirmed", "[coordinator][freeze]") {
    CoordinatorHarness harness;
    join_listed(harness, 8);
    harness.want("web", 8);
    harness.pass(4s);
    CHECK(harness.status().unconfirmed == 0);
    fall_silent(harness, 4);
    harness.pass(10s);
    StatusReply status = harness.status();
    REQUIRE(status.phase == "frozen");
    CHECK(status.running == 8);
    CHECK(status.silent == 4);
    CHECK(status.unconfirmed == 4);
    const auto web = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    for (const InstanceView& instance : web.instances) {
        const bool is_silent = instance.node < "n4";
        CHECK(instance.detail.starts_with("unconfirmed: its node is silent for ") == is_silent);
    }
    CHECK(harness.node("n0").missed > 2);
    CHECK(harness.node("n7").missed == 0);
    fall_silent(harness, 4, false);
    harness.pass(2s);
    status = harness.status();
    CHECK(status.silent + status.unconfirmed == 0);
}

// Goal: a what-if answer says if the cluster would freeze first, or is frozen.
// Method: one, then three of eight nodes fail; then an operator freezes the cluster.
TEST_CASE("a what-if answer says if so many failed nodes would freeze the cluster",
          "[what_if][freeze]") {
    CoordinatorHarness harness;
    join_listed(harness, 8);
    const auto asked = [&](const std::string& pattern) {
        return harness.read<PlanReply>(PlanRequest{.fail = {"node=" + pattern}}).freeze;
    };
    CHECK(asked("n0") == PlannedFreeze{false, 8, 1});
    CHECK(asked("n[0-2]") == PlannedFreeze{true, 8, 3});
    fall_silent(harness, 2, true, 6);
    harness.pass(4s);
    CHECK(asked("n0") == PlannedFreeze{true, 8, 3});
    CHECK_FALSE(harness.read<PlanReply>(PlanRequest{.add_nodes = 1}).freeze.on);
    freeze_of(harness.ask(FreezeOnRequest{works}, harness.fresh_id()));
    CHECK(harness.read<PlanReply>(PlanRequest{.add_nodes = 1}).freeze.on);
}

// Goal: the reason of a shortage is precise: a silent pool still exists.
// Method: the nodes of a pool of three fall silent; a task of that pool, and one of a pool that
// does not exist.
TEST_CASE("an instance without a node because the suitable ones do not serve says so",
          "[coordinator][freeze][placing]") {
    CoordinatorHarness harness;
    for (int node = 0; node < 6; ++node) {
        FakeAgent& fake = harness.add("n" + std::to_string(node));
        Hello hello = CoordinatorHarness::hello_of(fake);
        hello.offer.pool = node < 3 ? "fast" : "slow";
        harness.give(FromAgent{fake.session, hello});
        REQUIRE(harness.ask(NodeAddRequest{{{.name = fake.name}}}, harness.fresh_id())->result);
    }
    harness.pass(12s);
    fall_silent(harness, 3);
    harness.pass(5s);
    REQUIRE(freeze_shown(harness).on);
    const auto want = [&](const std::string& name, const std::string& pool) {
        WantedTask task = CoordinatorHarness::wanted(name, 1);
        task.place.pool = pool;
        REQUIRE(harness.ask(TaskAddRequest{task, true}, harness.fresh_id())->result);
        return harness.read<TaskShowReply>(TaskShowRequest{name}).unplaced_reasons.at(0);
    };
    const UnplacedReason fast = want("a", "fast");
    CHECK(fast.code == "not_serving");
    CHECK(fast.detail == "no suitable node serves now");
    CHECK(fast.nodes == std::vector<NodeReason>{{"pool", 3, "slow"}, {"silent", 3, ""}});
    CHECK(want("b", "huge").code == "pool");
}

// Goal: instances that are given up with a freeze are placed on nodes that answer.
// Method: 60 of 100 nodes are silent; after the end some are lost in each round.
TEST_CASE("instances given up with a freeze are not placed on other silent nodes",
          "[coordinator][freeze]") {
    CoordinatorHarness harness;
    join_listed(harness, 100);
    WantedTask task = CoordinatorHarness::wanted("web", 100);
    task.spec.max_per_node = 3;
    harness.ask(TaskAddRequest{task}, harness.fresh_id());
    harness.pass(4s);
    fall_silent(harness, 60);
    harness.pass(20s);
    REQUIRE(freeze_shown(harness).on);
    REQUIRE(harness.ask(FreezeOffRequest{works}, harness.fresh_id())->result);
    CHECK(harness.status().health.lost > 0);
    CHECK(harness.status().serving == 40);
    harness.pass(60s);
    CHECK(harness.status().health.lost == 60);
    CHECK(harness.running("web") == 100 + 60);  // No order stopped the silent nodes' copies.
    CHECK(rescheduled(harness) == 60);
}

// Goal: no wait succeeds between the end of a freeze and the losses.
// Method: end it in the round in which it began.
TEST_CASE("a freeze that is ended at once also gives up the silent nodes",
          "[coordinator][freeze]") {
    CoordinatorHarness harness;
    join_listed(harness, 8);
    harness.want("web", 8);
    harness.pass(4s);
    fall_silent(harness, 4);
    for (int tries = 0; tries < 100 && !freeze_shown(harness).on; ++tries) {
        harness.pass(100ms);
    }
    REQUIRE(freeze_shown(harness).on);
    REQUIRE(harness.ask(FreezeOffRequest{works}, harness.fresh_id())->result);
    CHECK(harness.status().health.lost > 0);
    CHECK_FALSE(harness.ask(WaitRequest{.pattern = "web", .timeout_ms = 5'000}));
}

// Goal: the coordinator's own pause counts against no node (S10).
// Method: silent nodes return while the coordinator is paused, before the end of the freeze is
// durable.
TEST_CASE("a coordinator that was paused gives up no node when it ends a freeze",
          "[coordinator][freeze][S10]") {
    CoordinatorHarness harness;
    freeze_by_silence(harness, {.nodes = 8, .instances = 4, .silent = 4});
    harness.store_works = false;
    harness.request(FreezeOffRequest{works}, harness.fresh_id());
    fall_silent(harness, 4, false);
    harness.now += 20s;
    harness.store_works = true;
    harness.confirm();
    CHECK(harness.status().health.lost == 0);
    harness.pass(10s);
    CHECK(times_published(harness, "node.lost") == 0);
    CHECK(rescheduled(harness) == 0);
}

// Goal: the bound on moves of a round holds even if planning restarts in it.
// Method: a freeze begins and ends six times in one round, while twenty instances should move.
TEST_CASE("no round begins more moves than allowed, even if freezes begin and end in it",
          "[coordinator][freeze][GO-D6]") {
    CoordinatorHarness harness;
    harness.join("n0");
    for (int task = 0; task < 20; ++task) {
        harness.want("t" + std::to_string(task), 1);
    }
    harness.pass(5s);
    harness.join("n1");
    harness.pass(2s);
    const Round round = harness.status().round;
    const auto begun = [&] {
        return std::ranges::count_if(harness.events, [](const Event& event) {
            return event.topic == "instance.start" && event.detail.ends_with(": balance");
        });
    };
    const auto before = begun();
    for (int times = 0; times < 6; ++times) {
        REQUIRE(harness.ask(FreezeOnRequest{works}, harness.fresh_id())->result);
        REQUIRE(harness.ask(FreezeOffRequest{works}, harness.fresh_id())->result);
    }
    CHECK(harness.status().round == round);
    CHECK(begun() - before <= 1);
}
