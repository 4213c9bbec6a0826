#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

FlapScoreView flap_score_of(CoordinatorHarness& harness, const std::string& node) {
    return harness.read<NodeShowReply>(NodeShowRequest{node}).flap_score;
}

/// The host creates no processes until its node is suspended.
void fail_until_suspended(CoordinatorHarness& harness, const std::string& node) {
    harness[node].host.spawn_failing = true;
    for (int round = 0; round < 8 && harness.node(node).health != "flaky"; ++round) {
        harness.pass(1s);
    }
    harness[node].host.spawn_failing = false;
    REQUIRE(harness.node(node).health == "flaky");
}

std::optional<Reply> forgive(CoordinatorHarness& harness, const std::string& pattern) {
    return harness.ask(NodeForgiveRequest{pattern, {.reason = "new disk", .author = "ann@desk"}},
                       harness.fresh_id());
}

}  // namespace

// Goal: an operator can end a suspension.
// Method: suspend twice, so that there is a relapse too; forgive, with a retry; fail again.
TEST_CASE("a forgiven node serves after its next answer, and its relapses are forgotten",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(2s);
    fail_until_suspended(harness, "n1");
    harness.pass(32s);
    fail_until_suspended(harness, "n1");
    REQUIRE(flap_score_of(harness, "n1").suspensions == 2);

    const RequestId id = harness.fresh_id();
    const NodeForgiveRequest request{"n1", {.reason = "new disk", .author = "ann@desk"}};
    const auto reply = harness.ask(request, id);
    REQUIRE(reply->result);
    const auto& changes = std::get<NodesChangeReply>(*reply->result).changes;
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().node == "n1");
    CHECK(changes.front().action == "forgive");
    CHECK(changes.front().detail == "its suspension is over");
    CHECK(harness.happened("node.released", "n1"));
    CHECK(harness.happened("node.forgiven", "n1"));
    CHECK(std::ranges::any_of(harness.events, [](const Event& event) {
        return event.topic == "node.released" && event.detail == "by ann@desk: new disk";
    }));
    CHECK(harness.node("n1").health == "unready");
    CHECK(harness.node("n1").note == "it has not answered yet");
    CHECK(harness.ask(request, id) == reply);

    harness.pass(2s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(flap_score_of(harness, "n1").suspensions == 0);
    CHECK(flap_score_of(harness, "n1").contributions.empty());
    fail_until_suspended(harness, "n1");
    const std::int64_t left =
        raw(flap_score_of(harness, "n1").suspended_until) - raw(harness.node("n1").since);
    CHECK(left == 30'000);
}

TEST_CASE("forgiving a node that is not suspended clears its score",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.pass(2s);
    n1.host.spawn_failing = true;
    harness.pass(2s);
    n1.host.spawn_failing = false;
    REQUIRE(flap_score_of(harness, "n1").score == 600);
    const auto reply = forgive(harness, "n*");
    REQUIRE(reply->result);
    CHECK(std::get<NodesChangeReply>(*reply->result).changes.size() == 1);
    CHECK(flap_score_of(harness, "n1").score == 0);
    CHECK_FALSE(harness.happened("node.released", "n1"));
    CHECK(harness.node("n1").health == "healthy");
}

TEST_CASE("an unknown node, or one in good standing, cannot be forgiven",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.pass(2s);
    const auto refusal_of = [&](const std::string& pattern) {
        const auto reply = forgive(harness, pattern);
        REQUIRE_FALSE(reply->result);
        return reply->result.error();
    };
    CHECK(refusal_of("n7") ==
          Error{Errc::not_found, "no node matches 'n7'; see 'muster node list'"});
    CHECK(refusal_of("n[2-1]").code == Errc::invalid);
    CHECK(refusal_of("n1") == Error{Errc::refused, "node n1 has no flap score to clear"});
    CHECK(refusal_of("n*").detail == "no node that matches 'n*' has a flap score to clear");
    const auto control = harness.ask(NodeForgiveRequest{"n1", {.reason = "a\nb"}});
    REQUIRE_FALSE(control->result);
    CHECK_THAT(control->result.error().detail, Catch::Contains("control characters"));
}

// Goal: with two requests in flight nothing is done twice.
// Method: the store is slow; two operators forgive, and the node is removed in between.
TEST_CASE("forgiving a node twice, or one that is gone by then, does no harm",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    harness.pass(2s);
    fail_until_suspended(harness, "n1");
    harness.store_works = false;
    const Ticket first = harness.request(NodeForgiveRequest{"n1"});
    const Ticket second = harness.request(NodeForgiveRequest{"n1"});
    CHECK(harness.node("n1").health == "flaky");
    CHECK_FALSE(harness.reply_to(first));

    SECTION("twice") {
        harness.confirm();
        CHECK(std::ranges::count(harness.events, "node.released", &Event::topic) == 1);
    }
    SECTION("gone") {
        const Ticket removal = harness.request(NodeRemoveRequest{.pattern = "n1", .force = true});
        const Ticket third = harness.request(NodeForgiveRequest{"n1"});
        harness.confirm();
        CHECK(harness.reply_to(removal)->result);
        CHECK(harness.reply_to(third)->result.error().code == Errc::not_found);
    }
    CHECK(harness.reply_to(first)->result);
    CHECK(harness.reply_to(second)->result);
}

// Goal: operators choose whether instances stay on a suspended node.
// Method: the same failures under both settings; at no time is an instance missing.
TEST_CASE("instances on a suspended node stay, or move if so configured",
          "[coordinator][nodes][flaky]") {
    const bool moves = GENERATE(false, true);
    CoordinatorHarness harness{
        CoordinatorHarness::empty_store(),
        {.flaky_tasks = moves ? FlakyTasks::move : FlakyTasks::keep, .version = "1.0"}};
    harness.join("n1");
    harness.want("web", 1);
    harness.pass(3s);
    REQUIRE(harness["n1"].instances.size() == 1);
    harness.join("n2");
    harness.pass(2s);
    fail_until_suspended(harness, "n1");
    for (int step = 0; step < 20; ++step) {
        harness.pass(250ms);
        CHECK(harness.running("web") >= 1);
    }
    CHECK(harness.running("web") == 1);
    CHECK(harness["n2"].instances.size() == (moves ? 1 : 0));
    CHECK(flap_score_of(harness, "n1").blocked_by.empty());
}

TEST_CASE("an instance that cannot leave a suspended node keeps running, and is named",
          "[coordinator][nodes][flaky]") {
    CoordinatorHarness harness{CoordinatorHarness::empty_store(),
                               {.flaky_tasks = FlakyTasks::move, .version = "1.0"}};
    harness.join("n1");
    harness.join("n2");
    harness.want("web", 2);
    WantedTask everywhere = CoordinatorHarness::wanted("log", 1);
    everywhere.place.every_node = true;
    REQUIRE(harness.ask(TaskAddRequest{everywhere})->result);
    harness.pass(5s);
    REQUIRE(harness["n1"].instances.size() == 2);
    fail_until_suspended(harness, "n1");
    harness.pass(5s);
    CHECK(harness["n1"].instances.size() == 2);
    const auto blocked = flap_score_of(harness, "n1").blocked_by;
    REQUIRE(blocked.size() == 2);
    CHECK(blocked[0].instance.starts_with("log."));
    CHECK(blocked[0].code == "every_node");
    CHECK(blocked[1].instance.starts_with("web."));
    CHECK(blocked[1].code == "max_per_node");

    harness.join("n3");  // There is room now.
    harness.pass(5s);
    CHECK(harness["n1"].instances.size() == 1);
    CHECK(harness["n3"].instances.size() == 2);
    CHECK(harness.running("web") == 2);
}
