#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

// The plan of a balance, requested while orders are in flight.

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;

namespace {

const PlanRequest rebalance{.rebalance = true};

/// `web` runs on the only node; then another node joins.
void run_then_join(CoordinatorHarness& harness) {
    harness.join("n1");
    harness.want("a", 1);
    harness.want("b", 1);
    harness.pass(3s);
    harness.join("n2");
    harness.pass(3s);
}

PlanReply plan_in(const CoordinatorHarness& harness, Ticket ticket) {
    const auto reply = harness.reply_to(ticket);
    REQUIRE(reply);
    REQUIRE(reply->result);
    return std::get<PlanReply>(*reply->result);
}

}  // namespace

TEST_CASE("the plan of a balance is answered at once if nothing is in flight",
          "[coordinator][what_if]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    const auto plan = plan_in(harness, harness.request(rebalance));
    CHECK(plan.moves.size() == 1);
    CHECK(plan.unsettled.empty());
}

// Goal: a plan includes what was just started. Method: a task is scaled, and the node reports its
// new copy as running one round later.
TEST_CASE("the plan of a balance is answered once the latest change runs",
          "[coordinator][what_if]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    harness["n2"].obeys = false;
    harness.want("c", 1);
    const Ticket ticket = harness.request(rebalance);
    CHECK_FALSE(harness.reply_to(ticket));
    harness.pass(500ms);
    CHECK_FALSE(harness.reply_to(ticket));
    harness["n2"].obeys = true;  // The start is ordered again after its next answer.
    harness.pass(2s);
    const auto plan = plan_in(harness, ticket);
    CHECK(plan.unsettled.empty());
    CHECK(plan.before.instances == 3);
    CHECK(plan.moves.empty());
    CHECK(harness.reply_counts[ticket] == 1);
}

// Goal: a plan does not wait for ever. Method: the new copy does not start at all.
TEST_CASE("the plan of a balance waits for three seconds at most, and says for what",
          "[coordinator][what_if]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    harness["n2"].obeys = false;
    harness.want("c", 1);
    const Ticket ticket = harness.request(rebalance);
    harness.pass(limits::plan_wait - 1ms);
    CHECK_FALSE(harness.reply_to(ticket));
    harness.pass(1ms);
    CHECK(plan_in(harness, ticket).unsettled == "1 instance is being started");
}

// Goal: a plan waits for a change that is not durable yet. Method: the store confirms late.
TEST_CASE("the plan of a balance waits until the last change is durable",
          "[coordinator][what_if]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    harness.store_works = false;
    harness.want("c", 1);
    const Ticket ticket = harness.request(rebalance);
    harness.pass(500ms);
    CHECK_FALSE(harness.reply_to(ticket));
    SECTION("it is in time") {
        harness.store_works = true;
        harness.confirm();
        harness.pass(1500ms);
        CHECK(plan_in(harness, ticket).before.instances == 3);
    }
    SECTION("it is not") {
        harness.pass(limits::plan_wait);
        CHECK(plan_in(harness, ticket).unsettled == "the last change is not durable yet");
    }
}

TEST_CASE("the number of waiting plans is bounded, and each is answered once",
          "[coordinator][what_if]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    harness["n2"].obeys = false;
    harness.want("c", 1);
    std::vector<Ticket> asked;
    for (std::size_t plan = 0; plan < limits::pending_plans; ++plan) {
        asked.push_back(harness.request(rebalance));
    }
    const auto busy = harness.ask(rebalance);
    REQUIRE(busy);
    REQUIRE_FALSE(busy->result);
    CHECK(busy->result.error().code == Errc::busy);
    harness["n2"].obeys = true;
    harness.pass(2s);
    for (const Ticket ticket : asked) {
        CHECK(harness.reply_counts[ticket] == 1);
    }
}

// Goal: a plan that cannot be known is refused without a wait. Method: a leadership that recovers;
// and one that ends.
TEST_CASE("the plan of a balance ends with its leadership", "[coordinator][what_if]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    harness["n2"].obeys = false;
    harness.want("c", 1);
    const Ticket ticket = harness.request(rebalance);
    harness.give(StoreFailed{"no space"});
    const auto reply = harness.reply_to(ticket);
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    CHECK(reply->result.error().code == Errc::store_failed);
}

// Goal: a restart is not a reason to move. Method: an uneven cluster under a young leadership, and
// the same when it is five minutes old.
TEST_CASE("a leadership moves for the balance once it is as old as move_cooldown",
          "[coordinator][balance]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    harness.pass(5min - 10s);
    CHECK(harness.node("n2").instances == 0);
    harness.pass(15s);
    CHECK(harness.node("n2").instances == 1);
}

TEST_CASE("a requested rebalance does not wait for move_cooldown", "[coordinator][balance]") {
    CoordinatorHarness harness;
    run_then_join(harness);
    REQUIRE(harness.ask(RebalanceRequest{})->result);
    harness.pass(4s);
    CHECK(harness.node("n2").instances == 1);
}
