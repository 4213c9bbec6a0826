#include <algorithm>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

DrainView drain_of(CoordinatorHarness& harness, const std::string& node) {
    return harness.read<NodeShowReply>(NodeShowRequest{node}).drain;
}

std::vector<std::string> codes_in(const DrainView& drain) {
    std::vector<std::string> codes;
    for (const DrainBlocker& blocker : drain.blocked_by) {
        codes.push_back(blocker.code);
    }
    return codes;
}

}  // namespace

// Goal: a drain interrupts nothing and ends by itself.
// Method: two instances on two of three nodes; one of these nodes is drained.
TEST_CASE("the instances of a drained node move one after another, and it is then offline",
          "[intents][drain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(5s);
    harness.join("n3");
    const Occasion why{.reason = "new kernel", .author = "ann@desk"};
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n1", .why = why})->result);
    CHECK(drain_of(harness, "n1").running);
    for (int step = 0; step < 40 && drain_of(harness, "n1").running; ++step) {
        CHECK(harness.running("web") >= 2);
        harness.pass(250ms);
    }
    CHECK_FALSE(drain_of(harness, "n1").running);
    CHECK(harness["n1"].instances.empty());
    CHECK(harness.running("web") == 2);
    const NodeView n1 = harness.node("n1");
    CHECK(n1.intent == "offline");
    CHECK(n1.reason == "new kernel");
    CHECK(n1.author == "ann@desk");
    CHECK(harness.happened("node.drain_began", "n1"));
    CHECK(harness.happened("node.drained", "n1"));
}

// Goal: a drain that cannot end reports its blocker in time.
// Method: as many instances as nodes, so there is no other place; a deadline passes; a node joins.
TEST_CASE("a drain names its blockers, and reports when its deadline has passed",
          "[intents][drain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(5s);
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n1", .deadline_ms = 10'000})->result);
    harness.pass(5s);
    DrainView drain = drain_of(harness, "n1");
    CHECK(drain.running);
    CHECK_FALSE(drain.overdue);
    CHECK(codes_in(drain) == std::vector<std::string>{"max_per_node"});
    CHECK(drain.blocked_by.front().instance.starts_with("web."));
    CHECK_FALSE(drain.blocked_by.front().detail.empty());
    CHECK_FALSE(harness.happened("node.drain_overdue", "n1"));
    harness.pass(6s);
    CHECK(drain_of(harness, "n1").overdue);
    CHECK(harness.happened("node.drain_overdue", "n1"));
    const auto alarms = harness.status().alarms;
    REQUIRE(alarms.size() == 1);
    CHECK_THAT(alarms.front(), Catch::StartsWith("draining past the deadline: n1;"));
    CHECK(harness.running("web") == 2);
    const auto again = harness.ask(NodeDrainRequest{.pattern = "n1"});
    REQUIRE(again->result);
    CHECK(std::get<NodesChangeReply>(*again->result).changes.front().detail ==
          "its earlier deadline is dropped");
    CHECK(harness.status().alarms.empty());

    harness.join("n3");
    harness.pass(8s);
    CHECK(harness.node("n1").intent == "offline");
    CHECK(harness.running("web") == 2);
}

// Goal: an operator learns that a drain is no longer forced.
// Method: a forced drain is requested again, with a deadline and without.
TEST_CASE("a drain that is requested again says what it replaces", "[intents][drain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(3s);
    const auto warning = [&](const NodeDrainRequest& request) {
        const auto reply = harness.ask(request, harness.fresh_id());
        REQUIRE(reply->result);
        return std::get<NodesChangeReply>(*reply->result).changes.front().detail;
    };
    harness["n1"].answers = false;  // So that it does not end.
    CHECK(warning({.pattern = "n1", .force = true}).empty());
    CHECK(warning({.pattern = "n1", .deadline_ms = 60'000}) == "its earlier --force is dropped");
    CHECK(warning({.pattern = "n1", .deadline_ms = 60'000, .force = true}).empty());
    CHECK(warning({.pattern = "n1"}) == "its earlier deadline and --force are dropped");
}

// Goal: no report of a drain is wrong. Method: the deadline passes while the store is slow to
// confirm its end.
TEST_CASE("a drain that has ended is not overdue while its end is being stored",
          "[intents][drain][L5]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.store_works = false;
    harness.request(NodeDrainRequest{.pattern = "n1", .deadline_ms = 100});
    harness.confirm();
    harness.pass(5s);
    CHECK(harness.node("n1").intent == "draining");
    CHECK_FALSE(harness.happened("node.drain_overdue", "n1"));
    harness.store_works = true;
    harness.confirm();
    CHECK(harness.node("n1").intent == "offline");
}

// Goal: a drain that is over by its deadline ends then, not with a later round, before which
// another order may be on its way to the node. Method: the node's answer says that it is empty, and
// the round does not close before the deadline, because another node does not answer.
TEST_CASE("a node that is empty at the deadline of its drain is offline then",
          "[intents][drain][L5]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 1);
    harness.pass(5s);
    const bool on_n1 = !harness["n1"].instances.empty();
    const std::string drained = on_n1 ? "n1" : "n2";
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = drained, .deadline_ms = 2'500})->result);
    harness.pass(1500ms);
    harness[on_n1 ? "n2" : "n1"].answers = false;
    harness.pass(900ms);
    CHECK(harness.node(drained).intent == "draining");
    harness.pass(200ms);
    CHECK(harness.node(drained).intent == "offline");
    CHECK_FALSE(harness.happened("node.drain_overdue", drained));
}

// Goal: an overdue drain always reports what it waits for. Method: everything is stopped on the
// node, but its answers, which would confirm that, do not arrive.
TEST_CASE("a drain that waits for an answer says so", "[intents][drain][L5]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 1);
    harness.pass(5s);
    FakeAgent& holder = harness["n1"].instances.empty() ? harness["n2"] : harness["n1"];
    holder.answers = false;
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = holder.name, .deadline_ms = 2'100})->result);
    harness.pass(2500ms);
    CHECK(holder.instances.empty());
    CHECK(codes_in(drain_of(harness, holder.name)) == std::vector<std::string>{"settling"});
    const auto overdue = std::ranges::find(harness.events, "node.drain_overdue", &Event::topic);
    REQUIRE(overdue != harness.events.end());
    CHECK(overdue->detail == "not empty by its deadline: settling");
    holder.answers = true;
    harness.pass(3s);
    CHECK(harness.node(holder.name).intent == "offline");
}

TEST_CASE("a node that does not answer is not shown as drained", "[intents][drain]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.want("web", 1);
    harness.pass(5s);
    FakeAgent& holder = n1.instances.empty() ? harness["n2"] : n1;
    holder.answers = false;
    holder.obeys = false;
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = holder.name})->result);
    harness.pass(10s);
    CHECK(harness.node(holder.name).intent == "draining");
    CHECK(codes_in(drain_of(harness, holder.name)).front() == "silent");
    CHECK(harness.running("web") == 2);  // The lost copy moved, as usual.
    holder.answers = true;
    holder.obeys = true;
    harness.pass(10s);
    CHECK(harness.node(holder.name).intent == "offline");
    CHECK(harness.running("web") == 1);
}

// Goal: a pool is not emptied by mistake (S17).
// Method: the last node, the last two at once, with and without force.
TEST_CASE("the last node of a pool is drained only by force, which stops what has no other place",
          "[intents][drain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 1);
    harness.pass(5s);
    const auto refusal = harness.ask(NodeDrainRequest{.pattern = "n*"});
    REQUIRE_FALSE(refusal->result);
    CHECK(refusal->result.error().code == Errc::refused);
    CHECK_THAT(refusal->result.error().detail,
               Catch::Contains("these are all 2 nodes of pool 'default' that get work"));
    CHECK(harness.node("n1").intent == "active");
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n1"})->result);
    CHECK_FALSE(harness.ask(NodeDrainRequest{.pattern = "n2"})->result);

    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n*", .force = true})->result);
    harness.pass(8s);
    CHECK(harness.running("web") == 0);
    CHECK(harness.node("n1").intent == "offline");
    CHECK(harness.node("n2").intent == "offline");
    CHECK(harness.status().unplaced == 1);
    harness.ask(NodeOnlineRequest{"n1"});
    harness.pass(5s);
    CHECK(harness.running("web") == 1);
}

TEST_CASE("a retry of a refused drain gets the same refusal", "[intents][drain][S3]") {
    CoordinatorHarness harness;
    harness.join("n1");
    const RequestId id = harness.fresh_id();
    const auto refusal = harness.ask(NodeDrainRequest{.pattern = "n1"}, id);
    REQUIRE(refusal);
    CHECK_FALSE(refusal->result);
    harness.join("n2");
    CHECK(harness.ask(NodeDrainRequest{.pattern = "n1"}, id) == refusal);
    CHECK(harness.node("n1").intent == "active");
    CHECK(harness.ask(NodeDrainRequest{.pattern = "n1"}, harness.fresh_id())->result);
}

TEST_CASE("online ends a drain, and a new leadership continues one", "[intents][drain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    harness.pass(5s);
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n1"})->result);
    harness.pass(2s);
    harness.ask(NodeOnlineRequest{"n1"});
    CHECK_FALSE(drain_of(harness, "n1").running);
    harness.pass(5s);
    CHECK(harness.running("web") == 2);
    CHECK(harness.status().serving == 2);

    StoreImage image = CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")});
    image.intents = {StoredIntent{
        .name = "n1", .intent = Intent::draining, .deadline = CoordinatorHarness::civil_start}};
    CoordinatorHarness next_leader{image};
    next_leader.join("n1");
    next_leader.join("n2");
    next_leader.pass(5s);
    CHECK(next_leader.node("n1").intent == "offline");
    CHECK(next_leader.happened("node.drain_overdue", "n1"));
}

// Goal: the event of an overdue drain stays one sentence. Method: it waits for more than it names.
TEST_CASE("an overdue drain names five of its blockers and counts the rest", "[intents][drain]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(2s);
    WantedTask task = CoordinatorHarness::wanted("web", 7);
    task.spec.max_per_node = 7;
    task.place.constraints = {*parse_constraint("node = n1")};
    harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id());
    harness.join("n2");
    harness.pass(3s);
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n1", .deadline_ms = 2'000})->result);
    harness.pass(5s);
    const auto overdue = std::ranges::find(harness.events, "node.drain_overdue", &Event::topic);
    REQUIRE(overdue != harness.events.end());
    CHECK_THAT(overdue->detail, Catch::StartsWith("not empty by its deadline: web.0 "));
    CHECK_THAT(overdue->detail, Catch::EndsWith(" and 2 more"));
}
