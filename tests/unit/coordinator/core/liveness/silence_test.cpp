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
CoordinatorHarness& with_three_nodes(CoordinatorHarness& bench) {
    for (const auto* name : {"n1", "n2", "n3"}) {
        bench.join(name);
    }
    bench.want("web", 3);
    bench.pass(12s);
    REQUIRE(bench.running("web") == 3);
    return bench;
}

void silence(CoordinatorHarness& bench, const std::string& name, bool silent = true) {
    bench[name].answers = !silent;
    bench[name].obeys = !silent;
    bench[name].reports_changes = !silent;
}

NodeView listed(CoordinatorHarness& bench, const std::string& name) {
    const auto reply = bench.read<NodeListReply>(NodeListRequest{});
    const auto found = std::ranges::find(reply.nodes, name, &NodeView::name);
    REQUIRE(found != reply.nodes.end());
    return *found;
}

/// The detail of the instance on this node.
std::string detail_on(const std::vector<InstanceView>& instances, const std::string& node) {
    const auto found = std::ranges::find(instances, node, &InstanceView::node);
    return found == instances.end() ? "none is there" : found->detail;
}

std::string web_on(CoordinatorHarness& bench, const std::string& node) {
    const auto reply = bench.read<TaskShowReply>(TaskShowRequest{"web"});
    const auto found = std::ranges::find(reply.instances, node, &InstanceView::node);
    REQUIRE(found != reply.instances.end());
    return to_string(found->id);
}

std::size_t rounds_missed(CoordinatorHarness& bench, const std::string& name) {
    return bench.node(name).missed;
}

/// Lets rounds close until the node has missed this number of polls.
void pass_until_missed(CoordinatorHarness& bench, const std::string& name, std::uint32_t misses) {
    for (int rounds = 0; rounds < 20 && rounds_missed(bench, name) < misses; ++rounds) {
        bench.pass(1s);
    }
    REQUIRE(rounds_missed(bench, name) == misses);
}

void require_silent(CoordinatorHarness& bench, const std::string& name, bool is_silent) {
    const std::string web = web_on(bench, name);
    const StatusReply status = bench.status();
    CHECK(status.silent == (is_silent ? 1 : 0));
    CHECK(status.unconfirmed == (is_silent ? 1 : 0));
    CHECK(status.serving == (is_silent ? 2 : 3));
    CHECK(status.freeze.silent == (is_silent ? 1 : 0));
    CHECK(status.lost == 0);
    const std::string note =
        is_silent ? "silent for " + std::to_string(rounds_missed(bench, name)) + " polls" : "";
    for (const NodeView& node : {bench.node(name), listed(bench, name)}) {
        CHECK(node.health == "healthy");
        CHECK(node.note == note);
    }
    const std::string detail = is_silent ? "unconfirmed: its node is " + note : "";
    const auto task = bench.read<TaskShowReply>(TaskShowRequest{"web"});
    const auto node = bench.read<NodeShowReply>(NodeShowRequest{name});
    CHECK(detail_on(task.instances, name) == detail);
    CHECK(detail_on(node.instances, name) == detail);
    const auto why = bench.read<ExplainReply>(ExplainRequest{Subject::instance, web});
    CHECK(why.node == name);
    CHECK(why.detail.starts_with("unconfirmed: ") == is_silent);
    const auto of_node = bench.read<ExplainReply>(ExplainRequest{Subject::node, name});
    CHECK(of_node.decided_by == (is_silent ? "silent" : "serving"));
}

}  // namespace

// Goal: all answers call a node silent at the same time. Method: a node misses two polls, a third,
// and answers; compare status, lists and explanations each time.
TEST_CASE("a node is silent everywhere from its third missed poll to its next answer",
          "[coordinator][silence]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(bench);
    require_silent(bench, "n2", false);
    silence(bench, "n2");
    pass_until_missed(bench, "n2", 2);
    require_silent(bench, "n2", false);
    pass_until_missed(bench, "n2", 3);
    require_silent(bench, "n2", true);
    pass_until_missed(bench, "n2", 8);  // It also missed the poll of the open round.
    require_silent(bench, "n2", true);
    silence(bench, "n2", false);
    bench.pass(2s);
    require_silent(bench, "n2", false);
    CHECK_FALSE(bench.happened("node.lost", "n2"));
}

TEST_CASE("a node is lost with its tenth missed poll, and its instance starts elsewhere",
          "[coordinator][silence]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(bench);
    bench.join("n4");
    silence(bench, "n2");
    pass_until_missed(bench, "n2", 9);
    CHECK(rescheduled(bench) == 0);
    bench.pass(1s);
    CHECK(bench.node("n2").health == "lost");
    CHECK(rescheduled(bench) == 1);
    CHECK(bench["n4"].instances.size() == 1);
}

// Goal: nothing new is placed on a node that may be gone. Method: an empty node, the best place for
// the next instance, falls silent; a task is added. Then it answers, and another one is added.
TEST_CASE("a silent node gets no new instance, and gets them again once it answers",
          "[coordinator][silence]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(bench);
    bench.join("n4");
    bench.pass(2s);
    silence(bench, "n4");
    pass_until_missed(bench, "n4", 3);
    bench.want("api", 1);
    bench.pass(2s);
    CHECK(bench.running("api") == 1);
    CHECK(bench["n4"].batches.empty());
    silence(bench, "n4", false);
    bench.pass(1s);
    bench.want("db", 1);
    bench.pass(2s);
    CHECK(bench["n4"].instances.size() == 1);
}

// Goal: nothing moves to it either. Method: the only other node for a drain is silent.
TEST_CASE("nothing moves to a silent node", "[coordinator][silence]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    bench.join("n1");
    bench.want("web", 1);
    bench.join("n2");
    bench.pass(3s);
    silence(bench, "n2");
    pass_until_missed(bench, "n2", 3);
    REQUIRE(bench.ask(NodeDrainRequest{.pattern = "n1"}, bench.fresh_id())->result);
    bench.pass(4s);
    CHECK(bench["n2"].batches.empty());
    CHECK(bench["n1"].instances.size() == 1);
    silence(bench, "n2", false);
    bench.pass(4s);
    CHECK(bench["n2"].instances.size() == 1);
    CHECK(bench["n1"].instances.empty());
}

// Goal: a silent node blocks its own drain visibly. Method: a node that drains falls silent.
TEST_CASE("a drain reports the silence of its node", "[coordinator][silence][drain]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(bench);
    silence(bench, "n2");
    pass_until_missed(bench, "n2", 3);
    REQUIRE(bench.ask(NodeDrainRequest{.pattern = "n2"}, bench.fresh_id())->result);
    bench.pass(2s);
    const auto drain = bench.read<NodeShowReply>(NodeShowRequest{"n2"}).drain;
    REQUIRE(drain.running);
    CHECK(drain.blocked_by.front().code == "silent");
}

// Goal: mass silence is judged when nodes fall silent, not when they would be lost.
// Method: three of six nodes miss two polls, then a third.
TEST_CASE("a freeze begins with the third missed poll of many", "[coordinator][silence][freeze]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    join_listed(bench, 6);
    fall_silent(bench, 3);
    pass_until_missed(bench, "n0", 2);
    CHECK_FALSE(freeze_shown(bench).on);
    pass_until_missed(bench, "n0", 3);
    CHECK(freeze_shown(bench).on);
    CHECK(freeze_shown(bench).silent == 3);
    bench.pass(30s);
    CHECK(bench.status().lost == 0);
}

// Goal: the end of a freeze does not prove that a node is there. Method: all but one of the silent
// half answer again; that one stays silent, gets nothing, and is lost later.
TEST_CASE("a node that is silent when a freeze ends gets nothing before it answers",
          "[coordinator][silence][freeze]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    freeze_by_silence(bench, {.nodes = 8, .silent = 4});
    fall_silent(bench, 3, false);
    bench.pass(7s);
    REQUIRE_FALSE(freeze_shown(bench).on);
    CHECK(bench.status().silent == 1);
    CHECK(bench.node("n3").note.starts_with("silent"));
    const std::size_t batches = bench["n3"].batches.size();
    bench.want("api", 8);
    bench.pass(3s);
    CHECK(bench.running("api") == 7);
    CHECK(bench["n3"].batches.size() == batches);
    CHECK(bench.node("n3").health == "healthy");
    bench.pass(10s);
    CHECK(bench.node("n3").health == "lost");
}

// Goal: an operator who gives up silent nodes does not wait for more polls.
// Method: half of the fleet is silent for less than it takes to be lost, and the freeze is ended.
TEST_CASE("the end of a freeze by an operator makes silent nodes lost at once",
          "[coordinator][silence][freeze]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    freeze_by_silence(bench, {.nodes = 8, .silent = 4, .lasts = 5s});
    REQUIRE(bench.node("n0").missed < 10);
    REQUIRE(bench.ask(FreezeOffRequest{works}, bench.fresh_id())->result);
    CHECK(bench.status().lost == 4);
}

// Goal: nor for nodes that exceed the rate of losses at first.
// Method: the same with a burst of two: the others follow in the next rounds.
TEST_CASE("nodes that an operator gave up are lost as fast as the rate allows",
          "[coordinator][silence][freeze]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(),
                             {.loss = {.burst = 2}, .version = "1.0"}};
    freeze_by_silence(bench, {.nodes = 8, .instances = 8, .silent = 4, .lasts = 5s});
    REQUIRE(bench.ask(FreezeOffRequest{works}, bench.fresh_id())->result);
    CHECK(bench.status().lost == 2);
    bench.pass(2s);
    CHECK(bench.status().lost == 4);
}

// Goal: one long silence does not suspend a node. Method: it misses almost too many polls, answers,
// and misses as many again.
TEST_CASE("each silence counts against a node once", "[coordinator][silence]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), {.version = "1.0"}};
    with_three_nodes(bench);
    for (const std::uint32_t score : {60U, 120U}) {
        silence(bench, "n2");
        pass_until_missed(bench, "n2", 8);
        silence(bench, "n2", false);
        bench.pass(1s);
        CHECK(bench.read<NodeShowReply>(NodeShowRequest{"n2"}).flap_score.score <= score);
    }
    CHECK_FALSE(bench.happened("node.suspended", "n2"));
}
