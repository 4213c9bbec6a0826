#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/liveness/freeze_scene.hpp"

// A node that misses polls is silent before it is lost; with default options.

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

/// Three nodes that have served longer than a window, each with one instance of `web`.
CoordinatorHarness& with_three_nodes(CoordinatorHarness& harness) {
    for (const auto* name : {"n1", "n2", "n3"}) {
        harness.join(name);
    }
    harness.want("web", 3);
    harness.pass(12s);
    REQUIRE(harness.running("web") == 3);
    return harness;
}

void silence(CoordinatorHarness& harness, const std::string& name, bool silent = true) {
    harness[name].answers = !silent;
    harness[name].obeys = !silent;
    harness[name].reports_changes = !silent;
}

NodeView listed(CoordinatorHarness& harness, const std::string& name) {
    const auto reply = harness.read<NodeListReply>(NodeListRequest{});
    const auto found = std::ranges::find(reply.nodes, name, &NodeView::name);
    REQUIRE(found != reply.nodes.end());
    return *found;
}

/// The detail of the instance on this node.
std::string detail_on(const std::vector<InstanceView>& instances, const std::string& node) {
    const auto found = std::ranges::find(instances, node, &InstanceView::node);
    return found == instances.end() ? "none is there" : found->detail;
}

std::string web_on(CoordinatorHarness& harness, const std::string& node) {
    const auto reply = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    const auto found = std::ranges::find(reply.instances, node, &InstanceView::node);
    REQUIRE(found != reply.instances.end());
    return to_string(found->id);
}

std::size_t rounds_missed(CoordinatorHarness& harness, const std::string& name) {
    return harness.node(name).missed;
}

/// Lets rounds close until the node has missed this number of polls.
void pass_until_missed(CoordinatorHarness& harness, const std::string& name, std::uint32_t misses) {
    for (int rounds = 0; rounds < 20 && rounds_missed(harness, name) < misses; ++rounds) {
        harness.pass(1s);
    }
    REQUIRE(rounds_missed(harness, name) == misses);
}

void require_silent(CoordinatorHarness& harness, const std::string& name, bool is_silent) {
    const std::string web = web_on(harness, name);
    const StatusReply status = harness.status();
    CHECK(status.silent == (is_silent ? 1 : 0));
    CHECK(status.health.healthy == (is_silent ? 2 : 3));
    CHECK(status.unconfirmed == (is_silent ? 1 : 0));
    CHECK(status.serving == (is_silent ? 2 : 3));
    CHECK(status.freeze.silent == (is_silent ? 1 : 0));
    CHECK(status.lost == 0);
    const std::string note =
        is_silent ? "silent for " + std::to_string(rounds_missed(harness, name)) + " polls" : "";
    for (const NodeView& node : {harness.node(name), listed(harness, name)}) {
        CHECK(node.health == (is_silent ? "silent" : "healthy"));
        CHECK(node.note == note);
    }
    const std::string detail = is_silent ? "unconfirmed: its node is " + note : "";
    const auto task = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    const auto node = harness.read<NodeShowReply>(NodeShowRequest{name});
    CHECK(detail_on(task.instances, name) == detail);
    CHECK(detail_on(node.instances, name) == detail);
    const auto why = harness.read<ExplainReply>(ExplainRequest{Subject::instance, web});
    CHECK(why.node == name);
    CHECK(why.detail.starts_with("unconfirmed: ") == is_silent);
    const auto of_node = harness.read<ExplainReply>(ExplainRequest{Subject::node, name});
    CHECK(of_node.decided_by == (is_silent ? "silent" : "serving"));
}

}  // namespace

// Goal: all answers call a node silent at the same time. Method: a node misses two polls, a third,
// and answers; compare status, lists and explanations each time.
TEST_CASE("a node is silent everywhere from its third missed poll to its next answer",
          "[coordinator][silence]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(harness);
    require_silent(harness, "n2", false);
    silence(harness, "n2");
    pass_until_missed(harness, "n2", 2);
    require_silent(harness, "n2", false);
    pass_until_missed(harness, "n2", 3);
    require_silent(harness, "n2", true);
    pass_until_missed(harness, "n2", 8);  // It also missed the poll of the open round.
    require_silent(harness, "n2", true);
    silence(harness, "n2", false);
    harness.pass(2s);
    require_silent(harness, "n2", false);
    CHECK_FALSE(harness.happened("node.lost", "n2"));
}

TEST_CASE("a node is lost with its tenth missed poll, and its instance starts elsewhere",
          "[coordinator][silence]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(harness);
    harness.join("n4");
    silence(harness, "n2");
    pass_until_missed(harness, "n2", 9);
    CHECK(rescheduled(harness) == 0);
    harness.pass(1s);
    CHECK(harness.node("n2").health == "lost");
    CHECK(rescheduled(harness) == 1);
    CHECK(harness["n4"].instances.size() == 1);
}

// Goal: nothing new is placed on a node that may be gone. Method: an empty node, the best place for
// the next instance, falls silent; a task is added. Then it answers, and another one is added.
TEST_CASE("a silent node gets no new instance, and gets them again once it answers",
          "[coordinator][silence]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(harness);
    harness.join("n4");
    harness.pass(2s);
    silence(harness, "n4");
    pass_until_missed(harness, "n4", 3);
    harness.want("api", 1);
    harness.pass(2s);
    CHECK(harness.running("api") == 1);
    CHECK(harness["n4"].batches.empty());
    silence(harness, "n4", false);
    harness.pass(1s);
    harness.want("db", 1);
    harness.pass(2s);
    CHECK(harness["n4"].instances.size() == 1);
}

// Goal: nothing moves to it either. Method: the only other node for a drain is silent.
TEST_CASE("nothing moves to a silent node", "[coordinator][silence]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    harness.join("n1");
    harness.want("web", 1);
    harness.join("n2");
    harness.pass(3s);
    silence(harness, "n2");
    pass_until_missed(harness, "n2", 3);
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n1"}, harness.fresh_id())->result);
    harness.pass(4s);
    CHECK(harness["n2"].batches.empty());
    CHECK(harness["n1"].instances.size() == 1);
    silence(harness, "n2", false);
    harness.pass(4s);
    CHECK(harness["n2"].instances.size() == 1);
    CHECK(harness["n1"].instances.empty());
}

// Goal: a silent node blocks its own drain visibly. Method: a node that drains falls silent.
TEST_CASE("a drain reports the silence of its node", "[coordinator][silence][drain]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(harness);
    silence(harness, "n2");
    pass_until_missed(harness, "n2", 3);
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n2"}, harness.fresh_id())->result);
    harness.pass(2s);
    const auto drain = harness.read<NodeShowReply>(NodeShowRequest{"n2"}).drain;
    REQUIRE(drain.running);
    CHECK(drain.blocked_by.front().code == "silent");
}

// Goal: mass silence is judged when nodes fall silent, not when they would be lost.
// Method: three of six nodes miss two polls, then a third.
TEST_CASE("a freeze begins with the third missed poll of many", "[coordinator][silence][freeze]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    join_listed(harness, 6);
    fall_silent(harness, 3);
    pass_until_missed(harness, "n0", 2);
    CHECK_FALSE(freeze_shown(harness).on);
    pass_until_missed(harness, "n0", 3);
    CHECK(freeze_shown(harness).on);
    CHECK(freeze_shown(harness).silent == 3);
    harness.pass(30s);
    CHECK(harness.status().lost == 0);
}

// Goal: the end of a freeze does not prove that a node is there. Method: all but one of the silent
// half answer again; that one stays silent, gets nothing, and is lost later.
TEST_CASE("a node that is silent when a freeze ends gets nothing before it answers",
          "[coordinator][silence][freeze]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    freeze_by_silence(harness, {.nodes = 8, .silent = 4});
    fall_silent(harness, 3, false);
    harness.pass(7s);
    REQUIRE_FALSE(freeze_shown(harness).on);
    CHECK(harness.status().silent == 1);
    CHECK(harness.node("n3").note.starts_with("silent"));
    const std::size_t batches = harness["n3"].batches.size();
    harness.want("api", 8);
    harness.pass(3s);
    CHECK(harness.running("api") == 7);
    CHECK(harness["n3"].batches.size() == batches);
    CHECK(harness.node("n3").health == "silent");
    harness.pass(10s);
    CHECK(harness.node("n3").health == "lost");
}

// Goal: an operator who gives up silent nodes does not wait for more polls.
// Method: half of the fleet is silent for less than it takes to be lost, and the freeze is ended.
TEST_CASE("the end of a freeze by an operator makes silent nodes lost at once",
          "[coordinator][silence][freeze]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    freeze_by_silence(harness, {.nodes = 8, .silent = 4, .lasts = 5s});
    REQUIRE(harness.node("n0").missed < 10);
    REQUIRE(harness.ask(FreezeOffRequest{works}, harness.fresh_id())->result);
    CHECK(harness.status().lost == 4);
}

// Goal: nor for nodes that exceed the rate of losses at first.
// Method: the same with a burst of two: the others follow in the next rounds.
TEST_CASE("nodes that an operator gave up are lost as fast as the rate allows",
          "[coordinator][silence][freeze]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(),
                               {.loss = {.burst = 2}, .version = "1.0"}};
    freeze_by_silence(harness, {.nodes = 8, .instances = 8, .silent = 4, .lasts = 5s});
    REQUIRE(harness.ask(FreezeOffRequest{works}, harness.fresh_id())->result);
    CHECK(harness.status().lost == 2);
    harness.pass(2s);
    CHECK(harness.status().lost == 4);
}

// Goal: one long silence does not suspend a node. Method: it misses almost too many polls, answers,
// and misses as many again.
TEST_CASE("each silence counts against a node once", "[coordinator][silence]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(harness);
    for (const std::uint32_t score : {60U, 120U}) {
        silence(harness, "n2");
        pass_until_missed(harness, "n2", 8);
        silence(harness, "n2", false);
        harness.pass(1s);
        CHECK(harness.read<NodeShowReply>(NodeShowRequest{"n2"}).flap_score.score <= score);
    }
    CHECK_FALSE(harness.happened("node.suspended", "n2"));
}
