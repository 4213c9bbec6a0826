#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

static_assert(!std::is_constructible_v<CoreRequestBody, HelpRequest> &&
                  !std::is_constructible_v<CoreRequestBody, LogLevelRequest>,
              "what a process answers by itself cannot be given to its core");

// Goal: a wait ends exactly when its tasks have converged.
// Method: wait right after a change, with a slow store.
TEST_CASE("a wait is answered when its tasks have converged", "[coordinator][waits]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(1s);
    harness.store_works = false;
    harness.request(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}},
                    harness.fresh_id());
    const Ticket wait = harness.request(WaitRequest{"web", 5'000});
    CHECK_FALSE(harness.reply_to(wait));
    harness.store_works = true;
    harness.confirm();
    REQUIRE(harness.reply_to(wait));
    const auto reply = std::get<WaitReply>(harness.reply_to(wait)->result.value());
    REQUIRE(reply.tasks.size() == 1);
    CHECK(reply.tasks.front().state == "converged");
    const auto again = harness.ask(WaitRequest{"w*", 5'000});
    REQUIRE(again);
    CHECK(again->result);
}

// Goal: a wait ends in time and names what is missing.
// Method: two instances on one node.
TEST_CASE("a wait that runs out of time names what is missing", "[coordinator][waits]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("web", 2);
    const Ticket wait = harness.request(WaitRequest{"web", 3'000});
    harness.pass(2s);
    CHECK_FALSE(harness.reply_to(wait));
    harness.pass(1s);
    REQUIRE(harness.reply_to(wait));
    const Error error = harness.reply_to(wait)->result.error();
    CHECK(error.code == Errc::timeout);
    CHECK(error.detail.find("web unplaced, 1 of 2 running") != std::string::npos);
    CHECK(error.detail.find("max_per_node") != std::string::npos);
}

// Goal: a wait that cannot be kept is refused. Method: ask for more than an hour.
TEST_CASE("a wait longer than an hour is refused", "[coordinator][waits]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    const auto wait = harness.reply_to(harness.request(WaitRequest{"web", 3'600'001}));
    REQUIRE(wait);
    CHECK(wait->result.error().code == Errc::invalid);
}

// Goal: many waits that expire together cost as one: their tasks are read once.
// Method: waits that end within the same 20 ms.
TEST_CASE("waits that expire close together are answered together", "[coordinator][waits]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    const Ticket first = harness.request(WaitRequest{"web", 1'001});
    const Ticket second = harness.request(WaitRequest{"web", 1'019});
    harness.pass(1'015ms);
    CHECK_FALSE(harness.reply_to(first));
    harness.pass(5ms);
    CHECK(harness.reply_to(first));
    CHECK(harness.reply_to(second));
}

// Goal: a short wait is served even if long ones have all places.
// Method: all places are taken; then a shorter wait arrives, and one that is as long.
TEST_CASE("if there are too many waits, the one that would end last gives way",
          "[coordinator][waits]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    std::vector<Ticket> held;
    for (std::size_t i = 0; i < limits::pending_waits; ++i) {
        const bool is_last = i == 7;
        held.push_back(harness.request(WaitRequest{"web", is_last ? 3'600'000U : 3'500'000U}));
    }
    const Ticket first = harness.request(WaitRequest{"web", 1'000});
    CHECK_FALSE(harness.reply_to(first));
    REQUIRE(harness.reply_to(held[7]));
    CHECK(harness.reply_to(held[7])->result.error().code == Errc::busy);
    const auto longest = harness.ask(WaitRequest{"web", 3'600'000});
    REQUIRE(longest);
    CHECK(longest->result.error().code == Errc::busy);
    const Ticket second = harness.request(WaitRequest{"web", 1'000});
    CHECK(harness.replies.size() == 4);  // want, two refusals above, and the one that gave way now.
    harness.pass(1'020ms);
    for (const Ticket served : {first, second}) {
        REQUIRE(harness.reply_to(served));
        CHECK(harness.reply_to(served)->result.error().code == Errc::timeout);
    }
    for (const auto& [ticket, count] : harness.reply_counts) {
        CHECK(count == 1);
    }
}

// Goal: the same for the total of names in all waits, also when all are decided at once.
// Method: waits for many tasks, while the change that adds them is not durable yet.
TEST_CASE("if waits have too many tasks, the one that would end last gives way",
          "[coordinator][waits]") {
    constexpr std::size_t tasks = 2'000;
    constexpr std::size_t fit = 2 * limits::tasks / tasks;
    CoordinatorHarness harness;
    ApplyRequest apply;
    for (std::size_t i = 0; i < tasks; ++i) {
        apply.tasks.push_back(CoordinatorHarness::wanted("t" + std::to_string(i), 1));
    }
    harness.store_works = false;
    harness.request(apply, harness.fresh_id());
    harness.pass(0s);
    std::vector<Ticket> held;
    for (std::size_t i = 0; i < fit + 5; ++i) {
        held.push_back(harness.request(WaitRequest{"*", 3'600'000}));
    }
    harness.store_works = true;
    harness.confirm();
    harness.pass(0s);
    const auto refused = [&] {
        return std::ranges::count_if(held, [&](Ticket ticket) {
            const auto reply = harness.reply_to(ticket);
            return reply && reply->result.error().code == Errc::busy;
        });
    };
    CHECK(refused() == 5);
    const Ticket served = harness.request(WaitRequest{"*", 1'000});
    CHECK(refused() == 6);
    CHECK_FALSE(harness.reply_to(served));
    harness.pass(1'020ms);
    REQUIRE(harness.reply_to(served));
    CHECK(harness.reply_to(served)->result.error().code == Errc::timeout);
}

// Goal: a wait for nothing is an error, not a success.
// Method: an unknown name; and a task that is removed in the meantime.
TEST_CASE("a wait for no task is not_found", "[coordinator][waits]") {
    CoordinatorHarness harness;
    CHECK(harness.ask(WaitRequest{"nobody"})->result.error().code == Errc::not_found);
    harness.want("web", 1);
    const Ticket wait = harness.request(WaitRequest{"web"});
    harness.ask(TaskRemoveRequest{"web"});
    REQUIRE(harness.reply_to(wait));
    CHECK(harness.reply_to(wait)->result.error().code == Errc::not_found);
}

// Goal: a wait for many tasks ends only when all of them have converged.
// Method: three tasks, one of which cannot be placed until a second node joins.
TEST_CASE("a wait for a pattern ends with the last of its tasks", "[coordinator][waits]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("a", 1);
    harness.want("b", 2);
    harness.want("c", 1);
    const Ticket wait = harness.request(WaitRequest{"*", 10'000});
    harness.pass(3s);
    CHECK_FALSE(harness.reply_to(wait));
    harness.join("n2");
    harness.pass(3s);
    REQUIRE(harness.reply_to(wait));
    CHECK(std::get<WaitReply>(harness.reply_to(wait)->result.value()).tasks.size() == 3);
}

// Goal: an unplaced instance is shown with its reason.
// Method: no node at all, then one node for two instances.
TEST_CASE("status counts unplaced instances with their reasons",
          "[coordinator][views][GO-07][GO-21]") {
    CoordinatorHarness harness;
    harness.want("web", 2);
    harness.pass(2s);
    StatusReply status = harness.status();
    CHECK(status.unplaced == 2);
    REQUIRE(status.unplaced_reasons.size() == 1);
    CHECK(status.unplaced_reasons.front().code == "no_nodes");
    harness.join("n1");
    harness.pass(2s);
    status = harness.status();
    CHECK(status.unplaced == 1);
    CHECK(status.running == 1);
    CHECK(status.unplaced_reasons.front().code == "max_per_node");
    const auto task = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    CHECK(task.task.state == "unplaced");
    REQUIRE(task.instances.size() == 2);
    CHECK(task.instances[0].node == "n1");
    CHECK(task.instances[1].state == "unplaced");
    CHECK(harness.happened("task.unplaced", "web"));
    CHECK(status.unplaced_reasons.front().task == "web");
    CHECK(status.unplaced_reasons.front().nodes ==
          std::vector<NodeReason>{{"max_per_node", 1, ""}});
    REQUIRE(task.verdicts.size() == 1);
    CHECK(task.verdicts.front().node == "n1");
    CHECK(task.verdicts.front().code == "max_per_node");
}

// Goal: the numbers add up, and all verbs agree.
// Method: one of each: running, in back-off, failed, run to its end, unplaced, not yet obeyed.
TEST_CASE("status counts each wanted instance once, and is converged when a wait would end",
          "[coordinator][views]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    for (const char* const task : {"crash", "done", "good", "nope", "sick"}) {
        harness.want(task, 1);
    }
    harness.want("two", 2);
    n1.obeys = false;
    harness.want("late", 1);
    const auto becomes = [&](const char* task, InstanceState state, const char* detail) {
        InstanceReport& instance = n1.instances.at({task, 0});
        instance.state = state;
        instance.restarts = 3;
        instance.detail = detail;
        n1.revision = next(n1.revision);
    };
    becomes("crash", InstanceState::backoff, "ended with exit code 3, starts again after 8 s");
    becomes("done", InstanceState::exited, "ended with exit code 0");
    becomes("sick", InstanceState::exited, "ended with exit code 4");
    n1.instances.at({"sick", 0}).exit_code = 4;
    becomes("nope", InstanceState::failed, "/nope cannot be executed");
    harness.pass(1s);
    const StatusReply status = harness.status();
    CHECK(status.wanted == 8);
    CHECK(status.running == 2);
    CHECK(status.backoff == 1);
    CHECK(status.exited == 2);
    CHECK(status.failed == 1);
    CHECK(status.unplaced == 1);
    CHECK(status.starting == 1);
    CHECK_FALSE(status.converged);

    const auto task = [&](const char* name) {
        return harness.read<TaskShowReply>(TaskShowRequest{name}).task;
    };
    CHECK(task("crash").state == "backoff");
    CHECK(task("crash").detail ==
          "crash.0 on n1: ended with exit code 3, starts again after 8 s; 3 restarts");
    CHECK(task("done").state == "converged");
    CHECK(task("done").detail == "1 exited");
    CHECK(task("sick").state == "converged");
    CHECK(task("sick").detail == "1 exited; sick.0 on n1: ended with exit code 4; 3 restarts");
    CHECK(task("late").state == "placing");
    CHECK(task("nope").detail == "nope.0 on n1: /nope cannot be executed; 3 restarts");
    CHECK(task("two").detail ==
          "1: every suitable node already runs max_per_node instances of the task");

    for (const char* const stuck : {"crash", "late", "nope", "two"}) {
        const Ticket wait = harness.request(WaitRequest{stuck, 1'000});
        harness.pass(1s);
        REQUIRE(harness.reply_to(wait));
        CHECK_FALSE(harness.reply_to(wait)->result);
        CHECK_FALSE(harness.status().converged);
        harness.ask(TaskRemoveRequest{stuck}, harness.fresh_id());
    }
    CHECK(harness.status().stopping > 0);
    CHECK_FALSE(harness.status().converged);
    n1.obeys = true;
    harness.pass(2s);
    CHECK(harness.ask(WaitRequest{"*"})->result);
    CHECK(harness.status().converged);
}

// Goal: an answer and a later read agree.
// Method: the store confirms; the node has not obeyed, has obeyed, and has been polled.
TEST_CASE("status right after a change includes the change", "[coordinator][views]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.obeys = false;
    harness.want("web", 1);
    CHECK(harness.status().wanted == 1);
    CHECK(harness.status().starting == 1);
    CHECK_FALSE(harness.status().converged);
    n1.obeys = true;
    harness.pass(1s);
    CHECK(harness.status().running == 1);
    CHECK(harness.status().starting == 0);
    CHECK(harness.status().moving == 0);
    CHECK(harness.status().converged);  // Although no poll has decided the order yet.
}

// Goal: lists accept patterns, and unknown names are errors with a sentence.
// Method: three nodes, a host range, an unknown name.
TEST_CASE("nodes and tasks are listed by pattern in the order of names", "[coordinator][views]") {
    CoordinatorHarness harness;
    harness.join("n3");
    harness.join("n1");
    harness.join("n2");
    const auto some = harness.read<NodeListReply>(NodeListRequest{"n[2-9]"});
    REQUIRE(some.nodes.size() == 2);
    CHECK(some.nodes[0].name == "n2");
    CHECK(some.nodes[1].name == "n3");
    CHECK(some.nodes[0].version == "1.0");
    CHECK(harness.read<TaskListReply>(TaskListRequest{}).tasks.empty());
    CHECK(harness.ask(NodeShowRequest{"n9"})->result.error().code == Errc::not_found);
    CHECK(harness.ask(TaskShowRequest{"web"})->result.error().code == Errc::not_found);
    CHECK(harness.ask(NodeListRequest{"n[2"})->result.error().code == Errc::invalid);
    CHECK(harness.read<PingReply>(PingRequest{}).epoch == Epoch{3});
}

// Goal: a drained node shows that nothing runs there. Method: one instance of three ends, one
// fails.
TEST_CASE("a node is listed with the instances that run or will run again",
          "[coordinator][views]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    for (const auto* task : {"a", "b", "c"}) {
        harness.want(task, 1);
    }
    harness.pass(2s);
    CHECK(harness.node("n1").instances == 3);
    n1.instances.at({"a", 0}).state = InstanceState::exited;
    n1.instances.at({"b", 0}).state = InstanceState::failed;
    n1.instances.at({"c", 0}).state = InstanceState::backoff;
    n1.revision = next(n1.revision);
    harness.pass(2s);
    CHECK(harness.read<NodeShowReply>(NodeShowRequest{"n1"}).instances.size() == 3);
    CHECK(harness.node("n1").instances == 1);
}

// Goal: a client that missed events can ask for them.
// Method: events since a number, with a limit.
TEST_CASE("events are numbered without gaps and can be asked for again", "[coordinator][events]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("web", 1);
    harness.pass(3s);
    std::uint64_t expected = 1;
    for (const Event& event : harness.events) {
        CHECK(event.sequence == expected++);
        CHECK(event.epoch == Epoch{3});
    }
    const auto reply = harness.read<EventsReply>(EventsRequest{.since = 2, .limit = 3});
    CHECK(reply.first_kept == 1);
    REQUIRE(reply.events.size() == 3);
    CHECK(reply.events.front() == harness.events[2]);
    CHECK(harness.read<EventsReply>(EventsRequest{.since = expected}).events.empty());
}

// Goal: every round is published, and rounds do not push all other events out of the ring.
// Method: count the events of two quiet minutes, as published and as kept.
TEST_CASE("every closed round is an event, and quiet ones in a row are kept as one",
          "[coordinator][events]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.pass(5s);
    const auto events_now = [&] {
        std::size_t count = 0;
        for (const Event& event : harness.events) {
            count += event.topic == "round.closed" ? 1U : 0U;
        }
        return count;
    };
    const std::size_t before = events_now();
    const std::size_t kept = harness.read<EventsReply>(EventsRequest{}).events.size();
    harness.pass(120s);
    CHECK(events_now() == before + 120);
    const auto ring = harness.read<EventsReply>(EventsRequest{});
    CHECK(ring.events.size() <= kept + 1);
    CHECK(ring.events.back() == harness.events.back());
    CHECK(ring.events.back().sequence == harness.events.size());
    CHECK(harness.read<EventsReply>(EventsRequest{.since = ring.events.back().sequence - 1})
              .events.size() == 1);
    harness["n1"].answers = false;
    harness.pass(1s);
    harness.pass(1s);
    CHECK(events_now() == before + 121);
    CHECK(harness.read<EventsReply>(EventsRequest{}).events.size() > ring.events.size());
    CHECK(harness.events.back().detail.find("missed 1") != std::string::npos);
}

// Goal: the round has the same number as muster_moves_total.
// Method: two instances start on the only node, a second node joins, and one of them moves.
TEST_CASE("a closed round counts the moves for the balance, and no other orders",
          "[coordinator][events]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("a", 1);
    harness.want("b", 1);
    harness.pass(5min);  // A new leadership moves nothing.
    harness.join("n2");
    harness.pass(5s);
    REQUIRE(harness.node("n2").instances == 1);
    const auto count = [&](const std::string& moves) {
        return std::ranges::count_if(harness.events, [&](const Event& event) {
            return event.topic == "round.closed" && event.detail.find(moves) != std::string::npos;
        });
    };
    CHECK(count(", moves 1,") == 1);
    CHECK(count(", moves 0,") + 1 == count(", moves "));
}

// Goal: an order without an effect is explained.
// Method: a node that cannot persist its orders, and drops every batch.
TEST_CASE("an instance that stays ordered shows the problem of its node", "[coordinator][reads]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    n1.obeys = false;
    n1.host.journal_failing = true;
    harness.want("web", 1);
    harness.pass(1s);
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    REQUIRE(shown.instances.size() == 1);
    CHECK(shown.instances[0].state == "ordered");
    CHECK(shown.instances[0].detail == "cannot write its own state");
}
