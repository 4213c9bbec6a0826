#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

/// The instance ended in this way, and its agent reports it without a text.
void end_without_text(CoordinatorHarness& harness, FakeAgent& fake, int exit_code, int exit_signal,
                      std::uint32_t restarts) {
    InstanceReport& instance = fake.instances.begin()->second;
    instance.state = InstanceState::backoff;
    instance.exit_code = exit_code;
    instance.exit_signal = exit_signal;
    instance.restarts = restarts;
    harness.report_change(fake, instance.id);
}

std::string why_not(CoordinatorHarness& harness, const WaitRequest& request) {
    const Ticket wait = harness.request(request);
    harness.pass(2s);
    const auto reply = harness.reply_to(wait);
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    return reply->result.error().detail;
}

}  // namespace

// Goal: a wait reports how an instance ended, whatever the agent sends. Method: agents send only
// numbers; one of two instances exits, then both end by a signal.
TEST_CASE("a wait says how an instance ended, also if its agent sends no text",
          "[coordinator][waits]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    FakeAgent& n2 = harness.join("n2");
    harness.want("web", 2);
    harness.pass(3s);
    FakeAgent& first = n1.instances.contains({"web", 0}) ? n1 : n2;
    end_without_text(harness, first, 3, 0, 1);
    CHECK(why_not(harness, {"web", 1'000}) ==
          "not converged: web backoff, 1 of 2 running (web.0 on " + first.name +
              ": ended with exit code 3; 1 restart)");
    CHECK(harness.happened("instance.backoff", "web.0"));
    end_without_text(harness, n1, 0, 9, 2);
    end_without_text(harness, n2, 0, 9, 2);
    CHECK(why_not(harness, {"web", 1'000}) ==
          "not converged: web backoff, 0 of 2 running (web.0 on " + first.name +
              ": ended by signal 9; 2 restarts; and 1 more)");
    const auto event = std::ranges::find_if(harness.events, [&](const Event& one) {
        return one.topic == "instance.backoff" && one.name == "web.1";
    });
    REQUIRE(event != harness.events.end());
    CHECK_THAT(event->detail, Catch::EndsWith(": ended by signal 9"));
}

TEST_CASE("a wait for many tasks names three that have not converged and counts the rest",
          "[coordinator][waits]") {
    CoordinatorHarness harness;
    for (const char* const task : {"a", "b", "c", "d", "e"}) {
        harness.want(task, 1);
    }
    const std::string detail = why_not(harness, {"*", 1'000});
    CHECK_THAT(detail, Catch::StartsWith("not converged: a unplaced, 0 of 1 running ("));
    CHECK_THAT(detail, Catch::EndsWith("; and 2 more"));
}

// Goal: a hanging store is not mistaken for a slow start. Method: it confirms nothing.
TEST_CASE("a wait for a change that is not durable in time says so", "[coordinator][waits]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(2s);
    harness.store_works = false;
    harness.request(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}},
                    harness.fresh_id());
    CHECK(why_not(harness, {"web", 1'000}) == "the change before this wait is not durable yet");
}

TEST_CASE("an invalid pattern is refused by all reads with a pattern",
          "[coordinator][waits][views][stats][bad_input]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(2s);
    const std::string none = "n[3-1]";
    for (const CoreRequestBody& body :
         {CoreRequestBody{WaitRequest{none, 1'000}}, CoreRequestBody{TaskListRequest{none}},
          CoreRequestBody{ReportedRequest{none}}, CoreRequestBody{UsageRequest{.nodes = none}},
          CoreRequestBody{UsageRequest{.tasks = none}},
          CoreRequestBody{TaskSignalRequest{none, "HUP"}},
          CoreRequestBody{PlanRequest{.without_tasks = {none}}}}) {
        const auto reply = harness.ask(body);
        REQUIRE(reply);
        REQUIRE_FALSE(reply->result);
        CHECK(reply->result.error().code == Errc::invalid);
    }
}

// Goal: a wait does not succeed with a process that ends a moment later. Method: min_healthy of 3
// s.
TEST_CASE("a wait is answered when every instance has run for min_healthy",
          "[coordinator][waits][rollout]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(1s);
    WantedTask web = CoordinatorHarness::wanted("web", 1);
    web.spec.update.min_healthy = 3s;
    harness.ask(ApplyRequest{.tasks = {web}}, harness.fresh_id());
    const Ticket wait = harness.request(WaitRequest{"web", 60'000});
    harness.pass(2s);
    CHECK_FALSE(harness.reply_to(wait));
    CHECK(harness.status().converged);
    harness.pass(3s);
    REQUIRE(harness.reply_to(wait));
    CHECK(std::get<WaitReply>(harness.reply_to(wait)->result.value()).tasks.at(0).updated == 1);
    CHECK(harness.ask(WaitRequest{"web", 1'000}));  // This is known after min_healthy.
}

// Goal: a halt is reported also where another instance has no place, because a person must act.
// Method: one node for two instances; the new process of the one that runs ends.
TEST_CASE("a halted roll-out is an event also while its task is unplaced",
          "[coordinator][rollout]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    WantedTask web = CoordinatorHarness::wanted("web", 2);
    web.spec.update.min_healthy = 3s;
    harness.ask(ApplyRequest{.tasks = {web}}, harness.fresh_id());
    harness.pass(6s);
    REQUIRE(harness.happened("task.unplaced", "web"));
    harness.ask(TaskRestartRequest{"web"}, harness.fresh_id());
    harness.pass(1s);
    CHECK_FALSE(harness.happened("task.halted", "web"));
    end_without_text(harness, n1, 3, 0, 1);
    harness.pass(1s);
    CHECK(harness.happened("task.halted", "web"));
}

// Goal: the halt of a version is an event also if that of the version before was the last one.
// Method: the new process of two versions ends before it has run for min_healthy.
TEST_CASE("a halted roll-out is an event again after a change", "[coordinator][rollout]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    WantedTask web = CoordinatorHarness::wanted("web", 1);
    web.spec.update.min_healthy = 3s;
    harness.ask(ApplyRequest{.tasks = {web}}, harness.fresh_id());
    harness.pass(6s);
    for (const std::size_t halts : {1U, 2U}) {
        harness.ask(TaskRestartRequest{"web"}, harness.fresh_id());
        end_without_text(harness, n1, 3, 0, 1);
        harness.pass(1s);
        const auto is_halt = [](const Event& event) { return event.topic == "task.halted"; };
        CHECK(std::ranges::count_if(harness.events, is_halt) == static_cast<std::ptrdiff_t>(halts));
    }
}

// Goal: a bad release is reported at once, with advice. Method: the new process ends.
TEST_CASE("a wait ends at once when the roll-out is halted", "[coordinator][waits][rollout]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    WantedTask web = CoordinatorHarness::wanted("web", 1);
    web.spec.update.min_healthy = 3s;
    harness.ask(ApplyRequest{.tasks = {web}}, harness.fresh_id());
    harness.pass(6s);
    harness.ask(TaskRestartRequest{"web"}, harness.fresh_id());
    harness.pass(1s);
    const Ticket wait = harness.request(WaitRequest{"w*", 60'000});
    CHECK_FALSE(harness.reply_to(wait));
    end_without_text(harness, n1, 3, 0, 1);
    const auto reply = harness.reply_to(wait);
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    CHECK(reply->result.error().code == Errc::halted);
    CHECK(reply->result.error().detail ==
          "web halted, 0 of 1 running (updated 0 of 1; the roll-out is halted: web.0 on "
          "n1 did not run for 3s (ended with exit code 3); apply a version that does, or the one "
          "before; 'muster logs web.0' shows what it printed)");
    harness.pass(1s);
    const auto alarms = harness.status().alarms;
    REQUIRE(alarms.size() == 1);
    CHECK(alarms[0].starts_with("task 'web': the roll-out is halted: web.0 on n1"));
    CHECK(harness.happened("task.halted", "web"));
    const auto why = harness.read<ExplainReply>(ExplainRequest{Subject::task, "web"});
    CHECK(why.state == "halted");
    CHECK(why.decided_by == "halted");
}
