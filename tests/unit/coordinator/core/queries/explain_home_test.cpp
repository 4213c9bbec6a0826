#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/queries/explain_scene.hpp"

/// What an explanation says of the node where an instance is.
namespace muster::coordinator::testing {

// Goal: an explanation says what is wrong with an instance's node.
// Method: its node is taken out of work, given back, and falls silent.
TEST_CASE("the home of an instance says why it would not be chosen today",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(3s);
    CHECK(verdict_on(explain_instance(harness, "web.0"), "n1").detail.empty());
    REQUIRE(harness.ask(NodeOfflineRequest{.pattern = "n1"}, harness.fresh_id())->result);
    harness.pass(1s);
    auto web = explain_instance(harness, "web.0");
    CHECK(verdict_on(web, "n1").code == "home");
    CHECK(verdict_on(web, "n1").detail == "offline");
    REQUIRE(harness.ask(NodeOnlineRequest{.pattern = "n1"}, harness.fresh_id())->result);
    n1.answers = false;
    harness.pass(10s);
    web = explain_instance(harness, "web.0");
    CHECK(web.state == "unknown");
    CHECK(web.detail == "no eligible node: 1 lost");
    CHECK_THAT(verdict_on(web, "n1").detail, Catch::StartsWith("was silent for "));
}

// Goal: an operator who asks why nothing moves learns what rests, and how long.
// Method: of two instances on n1 only `a` may move; it was moved to n2, and drained back.
TEST_CASE("a move that waits for the instance's cooldown is shown, and until when",
          "[coordinator][explain][what_if]") {
    CoordinatorHarness harness;
    harness.pass(5min);  // A new leadership moves nothing.
    harness.join("n1");
    harness.want("a", 1);
    WantedTask pinned = CoordinatorHarness::wanted("b", 1);
    pinned.place.pinned = true;
    place(harness, pinned);
    harness.join("n2");
    harness.pass(5s);
    REQUIRE(explain_instance(harness, "a.0").node == "n2");
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n2"}, harness.fresh_id())->result);
    harness.pass(5s);
    REQUIRE(harness.ask(NodeOnlineRequest{.pattern = "n2"}, harness.fresh_id())->result);
    harness.pass(5s);

    const auto why = explain_instance(harness, "a.0");
    CHECK(why.node == "n1");
    CHECK(verdict_on(why, "n2").code == "home");
    CHECK_THAT(why.detail, Catch::Contains("it moves to 'n2' in 28"));
    const auto plan = harness.read<PlanReply>(PlanRequest{.rebalance = true});
    CHECK(plan.pending == 1);
    CHECK(plan.resting == 1);
    CHECK(plan.rested_in > 4min);
    CHECK(plan.rested_in < 5min);
}

// Goal: while the cluster is frozen no answer promises a move.
// Method: as above, the second node joins, and nothing may move.
TEST_CASE("a move that waits for the end of a freeze is shown as such", "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.pass(5min);  // A new leadership moves nothing.
    harness.join("n1");
    harness.want("a", 1);
    harness.want("b", 1);
    harness.pass(3s);
    REQUIRE(harness.ask(LimitSetRequest{"starts_per_round", 0}, harness.fresh_id())->result);
    harness.join("n2");
    harness.pass(5s);
    CHECK_THAT(explain_instance(harness, "b.0").detail,
               Catch::EndsWith("it moves to 'n2' in one of the next rounds"));
    REQUIRE(harness.ask(FreezeOnRequest{}, harness.fresh_id())->result);
    CHECK_THAT(explain_instance(harness, "b.0").detail,
               Catch::EndsWith("it moves to 'n2' when the freeze ends"));
}

namespace {

/// It fails wherever it is started. Returns these nodes in order.
std::vector<std::string> fail_everywhere(CoordinatorHarness& harness, const InstanceId& id) {
    std::vector<std::string> tried;
    for (int failures = 0; failures < 3; ++failures) {
        for (auto& [name, fake] : harness.fakes) {
            const auto found = fake.instances.find(id);
            if (found != fake.instances.end() && found->second.state != InstanceState::failed) {
                found->second.state = InstanceState::failed;
                fake.revision = next(fake.revision);
                tried.push_back(name);
            }
        }
        harness.pass(5s);
    }
    return tried;
}

}  // namespace

// Goal: an instance that has failed for good has that as its reason, not the lack of a reason to
// move.
// Method: it fails wherever it is started, until it is not tried any more.
TEST_CASE("an instance that used up its tries is explained so", "[coordinator][explain]") {
    CoordinatorHarness harness;
    for (const char* const name : {"n1", "n2", "n3", "n4"}) {
        harness.join(name);
    }
    harness.want("bad", 1);
    harness.pass(3s);
    REQUIRE(fail_everywhere(harness, {"bad", 0}) == std::vector<std::string>{"n1", "n2", "n3"});
    const auto why = explain_instance(harness, "bad.0");
    CHECK(why.state == "failed");
    CHECK(why.node == "n3");
    CHECK(why.decided_by == "failed");
    CHECK(why.detail ==
          "it failed there and on other nodes, and is not tried again; "
          "'muster task restart bad' tries again");
}

// Goal: an explanation says that the label decided. Method: three nodes in two racks; also with the
// label that every node has, its own name.
TEST_CASE("an instance that went where its label has the fewest is explained so",
          "[coordinator][explain]") {
    const std::string label = GENERATE("rack", "node");
    CoordinatorHarness harness;
    for (const char* const name : {"n1", "n2", "n3"}) {
        FakeAgent& fake = harness.join(name);
        Hello hello = CoordinatorHarness::hello_of(fake);
        hello.offer.labels = {{"rack", std::string{name} == "n3" ? "r2" : "r1"}};
        harness.give(FromAgent{fake.session, hello});
    }
    harness.pass(2s);
    auto task = CoordinatorHarness::wanted("web", 2);
    task.place.spread = label;
    place(harness, task);
    CHECK(harness["n1"].instances.contains({"web", 0}));
    const auto why = explain_instance(harness, "web.1");
    if (label == "rack") {
        CHECK(why.node == "n3");
        CHECK(why.decided_by == "spread");
        CHECK_THAT(why.detail, Catch::EndsWith("label has the fewest instances of the task"));
    } else {
        CHECK(why.node == "n2");
        CHECK(why.decided_by == "name");
    }
}

// Goal: no explanation promises an impossible retry elsewhere. Method: a copy of a task of every
// node fails, while the other node is well.
TEST_CASE("a failed copy of a task of every node is explained as bound to its node",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.pass(2s);
    auto task = CoordinatorHarness::wanted("bad", 1);
    task.place.every_node = true;
    place(harness, task);
    REQUIRE(n1.instances.contains({"bad", 0}));
    n1.instances.at({"bad", 0}).state = InstanceState::failed;
    n1.revision = next(n1.revision);
    harness.pass(2s);
    const auto why = explain_instance(harness, "bad.0");
    CHECK(why.decided_by == "failed");
    CHECK(
        why.detail ==
        "it failed, and its task runs it on this node only; 'muster task restart bad' tries again");
}

// Goal: no explanation promises an impossible retry. Method: the fleet has fewer nodes than tries.
TEST_CASE("an instance that failed on every node is not said to be tried on others",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("bad", 1);
    harness.pass(3s);
    REQUIRE(fail_everywhere(harness, {"bad", 0}) == std::vector<std::string>{"n1", "n2"});
    const auto why = explain_instance(harness, "bad.0");
    CHECK(why.detail ==
          "it failed, and no node on which it has not failed can take it; "
          "'muster task restart bad' tries again");
    REQUIRE(why.verdicts.size() == 2);
    CHECK(why.verdicts.front().node == "n1");
    CHECK(why.verdicts.front().code == "failed");
    CHECK(why.verdicts.back().code == "home");
}

// Goal: a node that no longer suits is not shown as the best.
// Method: the rack of the only serving node is not wanted any more.
TEST_CASE("a node that no longer suits is explained by what is wrong there",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    auto task = CoordinatorHarness::wanted("web", 1);
    place(harness, task);
    task.place.constraints = {*parse_constraint("rack = r3")};
    place(harness, task);
    auto web = explain_instance(harness, "web.0");
    CHECK(web.decided_by == "only_choice");
    CHECK(
        web.detail ==
        "its node would not be chosen today (label: rack = r3), and no other node can take it now");
    task.place.constraints.clear();
    REQUIRE(harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id())->result);
    harness.join("n2");
    harness.pass(3s);
    REQUIRE(harness.ask(NodeOfflineRequest{.pattern = "n1"}, harness.fresh_id())->result);
    harness.pass(3s);
    web = explain_instance(harness, "web.0");
    CHECK(web.node == "n1");
    CHECK(web.decided_by == "stays");
    CHECK(web.detail == "its node would not be chosen today (offline), but nothing makes it move");
}

// Goal: the table of verdicts shows what was compared: an instance does not count against itself.
// Method: one instance on the first of two empty nodes.
TEST_CASE("the scores of an instance's own node are those without the instance",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("db", 1);
    harness.pass(3s);
    const auto db = explain_instance(harness, "db.0");
    CHECK(verdict_on(db, "n1").code == "home");
    CHECK(verdict_on(db, "n1").load == 0);
    CHECK(verdict_on(db, "n2").load == 0);
}

// Goal: the same for its group: an instance does not make its own node worse.
// Method: one group, two empty nodes, one instance.
TEST_CASE("the affinity of an instance's own node is that without the instance",
          "[coordinator][explain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    auto task = CoordinatorHarness::wanted("ga", 1);
    task.place.group = "bb";
    place(harness, task);
    auto ga = explain_instance(harness, "ga.0");
    CHECK(verdict_on(ga, "n1").code == "home");
    CHECK(verdict_on(ga, "n1").affinity == 0);
    CHECK(verdict_on(ga, "n2").affinity == 1);
    CHECK(ga.decided_by == "affinity");
    // Another instance of its group there does count.
    task.name = "gb";
    task.place.constraints = {*parse_constraint("node = n1")};
    place(harness, task);
    ga = explain_instance(harness, "ga.0");
    CHECK(verdict_on(ga, "n1").affinity == 2);
    CHECK(ga.decided_by == "stays");
}

}  // namespace muster::coordinator::testing
