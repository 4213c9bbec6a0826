#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

FlapScoreView flap_score_of(CoordinatorHarness& bench, const std::string& node) {
    return bench.read<NodeShowReply>(NodeShowRequest{node}).flap_score;
}

/// The host creates no processes until its node is suspended.
void fail_until_suspended(CoordinatorHarness& bench, const std::string& node) {
    bench[node].host.spawn_failing = true;
    for (int round = 0; round < 8 && bench.node(node).health != "flaky"; ++round) {
        bench.pass(1s);
    }
    bench[node].host.spawn_failing = false;
    REQUIRE(bench.node(node).health == "flaky");
}

std::optional<Reply> forgive(CoordinatorHarness& bench, const std::string& pattern) {
    return bench.ask(NodeForgiveRequest{pattern, {.reason = "new disk", .author = "ann@desk"}},
                     bench.fresh_id());
}

}  // namespace

// Goal: an operator can end a suspension.
// Method: suspend twice, so that there is a relapse too; forgive, with a retry; fail again.
TEST_CASE("a forgiven node serves after its next answer, and its relapses are forgotten",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.pass(2s);
    fail_until_suspended(bench, "n1");
    bench.pass(32s);
    fail_until_suspended(bench, "n1");
    REQUIRE(flap_score_of(bench, "n1").suspensions == 2);

    const RequestId id = bench.fresh_id();
    const NodeForgiveRequest request{"n1", {.reason = "new disk", .author = "ann@desk"}};
    const auto reply = bench.ask(request, id);
    REQUIRE(reply->result);
    const auto& changes = std::get<NodesChangeReply>(*reply->result).changes;
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().node == "n1");
    CHECK(changes.front().action == "forgive");
    CHECK(changes.front().detail == "its suspension is over");
    CHECK(bench.happened("node.released", "n1"));
    CHECK(bench.happened("node.forgiven", "n1"));
    CHECK(std::ranges::any_of(bench.events, [](const Event& event) {
        return event.topic == "node.released" && event.detail == "by ann@desk: new disk";
    }));
    CHECK(bench.node("n1").health == "unready");
    CHECK(bench.node("n1").note == "it has not answered yet");
    CHECK(bench.ask(request, id) == reply);

    bench.pass(2s);
    CHECK(bench.node("n1").health == "healthy");
    CHECK(flap_score_of(bench, "n1").suspensions == 0);
    CHECK(flap_score_of(bench, "n1").contributions.empty());
    fail_until_suspended(bench, "n1");
    const std::int64_t left =
        raw(flap_score_of(bench, "n1").suspended_until) - raw(bench.node("n1").since);
    CHECK(left == 30'000);
}

TEST_CASE("forgiving a node that is not suspended clears its score",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.join("n2");
    bench.pass(2s);
    n1.host.spawn_failing = true;
    bench.pass(2s);
    n1.host.spawn_failing = false;
    REQUIRE(flap_score_of(bench, "n1").score == 600);
    const auto reply = forgive(bench, "n*");
    REQUIRE(reply->result);
    CHECK(std::get<NodesChangeReply>(*reply->result).changes.size() == 1);
    CHECK(flap_score_of(bench, "n1").score == 0);
    CHECK_FALSE(bench.happened("node.released", "n1"));
    CHECK(bench.node("n1").health == "healthy");
}

TEST_CASE("an unknown node, or one in good standing, cannot be forgiven",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.join("n2");
    bench.pass(2s);
    const auto refusal_of = [&](const std::string& pattern) {
        const auto reply = forgive(bench, pattern);
        REQUIRE_FALSE(reply->result);
        return reply->result.error();
    };
    CHECK(refusal_of("n7") ==
          Error{Errc::not_found, "no node matches 'n7'; see 'muster node list'"});
    CHECK(refusal_of("n[2-1]").code == Errc::invalid);
    CHECK(refusal_of("n1") == Error{Errc::refused, "node n1 has no flap score to clear"});
    CHECK(refusal_of("n*").detail == "no node that matches 'n*' has a flap score to clear");
    const auto control = bench.ask(NodeForgiveRequest{"n1", {.reason = "a\nb"}});
    REQUIRE_FALSE(control->result);
    CHECK_THAT(control->result.error().detail, Catch::Contains("control characters"));
}

// Goal: with two requests in flight nothing is done twice.
// Method: the store is slow; two operators forgive, and the node is removed in between.
TEST_CASE("forgiving a node twice, or one that is gone by then, does no harm",
          "[coordinator][nodes][flaky][forgive]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.join("n2");
    bench.pass(2s);
    fail_until_suspended(bench, "n1");
    bench.store_works = false;
    const Ticket first = bench.request(NodeForgiveRequest{"n1"});
    const Ticket second = bench.request(NodeForgiveRequest{"n1"});
    CHECK(bench.node("n1").health == "flaky");
    CHECK_FALSE(bench.reply_to(first));

    SECTION("twice") {
        bench.confirm();
        CHECK(std::ranges::count(bench.events, "node.released", &Event::topic) == 1);
    }
    SECTION("gone") {
        const Ticket removal = bench.request(NodeRemoveRequest{.pattern = "n1", .force = true});
        const Ticket third = bench.request(NodeForgiveRequest{"n1"});
        bench.confirm();
        CHECK(bench.reply_to(removal)->result);
        CHECK(bench.reply_to(third)->result.error().code == Errc::not_found);
    }
    CHECK(bench.reply_to(first)->result);
    CHECK(bench.reply_to(second)->result);
}

// Goal: operators choose whether instances stay on a suspended node.
// Method: the same failures under both settings; at no time is an instance missing.
TEST_CASE("instances on a suspended node stay, or move if so configured",
          "[coordinator][nodes][flaky]") {
    const bool moves = GENERATE(false, true);
    CoordinatorHarness bench{
        CoordinatorHarness::empty_store(),
        {.flaky_tasks = moves ? FlakyTasks::move : FlakyTasks::keep, .version = "1.0"}};
    bench.join("n1");
    bench.want("web", 1);
    bench.pass(3s);
    REQUIRE(bench["n1"].instances.size() == 1);
    bench.join("n2");
    bench.pass(2s);
    fail_until_suspended(bench, "n1");
    for (int step = 0; step < 20; ++step) {
        bench.pass(250ms);
        CHECK(bench.running("web") >= 1);
    }
    CHECK(bench.running("web") == 1);
    CHECK(bench["n2"].instances.size() == (moves ? 1 : 0));
    CHECK(flap_score_of(bench, "n1").blocked_by.empty());
}

TEST_CASE("an instance that cannot leave a suspended node keeps running, and is named",
          "[coordinator][nodes][flaky]") {
    CoordinatorHarness bench{CoordinatorHarness::empty_store(),
                             {.flaky_tasks = FlakyTasks::move, .version = "1.0"}};
    bench.join("n1");
    bench.join("n2");
    bench.want("web", 2);
    WantedTask everywhere = CoordinatorHarness::wanted("log", 1);
    everywhere.place.every_node = true;
    REQUIRE(bench.ask(TaskAddRequest{everywhere})->result);
    bench.pass(5s);
    REQUIRE(bench["n1"].instances.size() == 2);
    fail_until_suspended(bench, "n1");
    bench.pass(5s);
    CHECK(bench["n1"].instances.size() == 2);
    const auto blocked = flap_score_of(bench, "n1").blocked_by;
    REQUIRE(blocked.size() == 2);
    CHECK(blocked[0].instance.starts_with("log."));
    CHECK(blocked[0].code == "every_node");
    CHECK(blocked[1].instance.starts_with("web."));
    CHECK(blocked[1].code == "max_per_node");

    bench.join("n3");  // There is room now.
    bench.pass(5s);
    CHECK(bench["n1"].instances.size() == 1);
    CHECK(bench["n3"].instances.size() == 2);
    CHECK(bench.running("web") == 2);
}
