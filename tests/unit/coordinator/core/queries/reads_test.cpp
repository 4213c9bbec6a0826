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
    CoordinatorHarness bench;
    bench.join("n1");
    bench.pass(1s);
    bench.store_works = false;
    bench.request(ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}}, bench.fresh_id());
    const Ticket wait = bench.request(WaitRequest{"web", 5'000});
    CHECK_FALSE(bench.reply_to(wait));
    bench.store_works = true;
    bench.confirm();
    REQUIRE(bench.reply_to(wait));
    const auto reply = std::get<WaitReply>(bench.reply_to(wait)->result.value());
    REQUIRE(reply.tasks.size() == 1);
    CHECK(reply.tasks.front().state == "converged");
    const auto again = bench.ask(WaitRequest{"w*", 5'000});
    REQUIRE(again);
    CHECK(again->result);
}

// Goal: a wait ends in time and names what is missing.
// Method: two instances on one node.
TEST_CASE("a wait that runs out of time names what is missing", "[coordinator][waits]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.want("web", 2);
    const Ticket wait = bench.request(WaitRequest{"web", 3'000});
    bench.pass(2s);
    CHECK_FALSE(bench.reply_to(wait));
    bench.pass(1s);
    REQUIRE(bench.reply_to(wait));
    const Error error = bench.reply_to(wait)->result.error();
    CHECK(error.code == Errc::timeout);
    CHECK(error.detail.find("web unplaced, 1 of 2 running") != std::string::npos);
    CHECK(error.detail.find("max_per_node") != std::string::npos);
}

// Goal: a wait that cannot be kept is refused. Method: ask for more than an hour.
TEST_CASE("a wait longer than an hour is refused", "[coordinator][waits]") {
    CoordinatorHarness bench;
    bench.want("web", 1);
    const auto wait = bench.reply_to(bench.request(WaitRequest{"web", 3'600'001}));
    REQUIRE(wait);
    CHECK(wait->result.error().code == Errc::invalid);
}

// Goal: many waits that expire together cost as one: their tasks are read once.
// Method: waits that end within the same 20 ms.
TEST_CASE("waits that expire close together are answered together", "[coordinator][waits]") {
    CoordinatorHarness bench;
    bench.want("web", 1);
    const Ticket first = bench.request(WaitRequest{"web", 1'001});
    const Ticket second = bench.request(WaitRequest{"web", 1'019});
    bench.pass(1'015ms);
    CHECK_FALSE(bench.reply_to(first));
    bench.pass(5ms);
    CHECK(bench.reply_to(first));
    CHECK(bench.reply_to(second));
}

// Goal: a short wait is served even if long ones have all places.
// Method: all places are taken; then a shorter wait arrives, and one that is as long.
TEST_CASE("if there are too many waits, the one that would end last gives way",
          "[coordinator][waits]") {
    CoordinatorHarness bench;
    bench.want("web", 1);
    std::vector<Ticket> held;
    for (std::size_t i = 0; i < limits::pending_waits; ++i) {
        const bool is_last = i == 7;
        held.push_back(bench.request(WaitRequest{"web", is_last ? 3'600'000U : 3'500'000U}));
    }
    const Ticket first = bench.request(WaitRequest{"web", 1'000});
    CHECK_FALSE(bench.reply_to(first));
    REQUIRE(bench.reply_to(held[7]));
    CHECK(bench.reply_to(held[7])->result.error().code == Errc::busy);
    const auto longest = bench.ask(WaitRequest{"web", 3'600'000});
    REQUIRE(longest);
    CHECK(longest->result.error().code == Errc::busy);
    const Ticket second = bench.request(WaitRequest{"web", 1'000});
    CHECK(bench.replies.size() == 4);  // want, two refusals above, and the one that gave way now.
    bench.pass(1'020ms);
    for (const Ticket served : {first, second}) {
        REQUIRE(bench.reply_to(served));
        CHECK(bench.reply_to(served)->result.error().code == Errc::timeout);
    }
    for (const auto& [ticket, count] : bench.reply_counts) {
        CHECK(count == 1);
    }
}

// Goal: the same for the total of names in all waits, also when all are decided at once.
// Method: waits for many tasks, while the change that adds them is not durable yet.
TEST_CASE("if waits have too many tasks, the one that would end last gives way",
          "[coordinator][waits]") {
    constexpr std::size_t tasks = 2'000;
    constexpr std::size_t fit = 2 * limits::tasks / tasks;
    CoordinatorHarness bench;
    ApplyRequest apply;
    for (std::size_t i = 0; i < tasks; ++i) {
        apply.tasks.push_back(CoordinatorHarness::wanted("t" + std::to_string(i), 1));
    }
    bench.store_works = false;
    bench.request(apply, bench.fresh_id());
    bench.pass(0s);
    std::vector<Ticket> held;
    for (std::size_t i = 0; i < fit + 5; ++i) {
        held.push_back(bench.request(WaitRequest{"*", 3'600'000}));
    }
    bench.store_works = true;
    bench.confirm();
    bench.pass(0s);
    const auto refused = [&] {
        return std::ranges::count_if(held, [&](Ticket ticket) {
            const auto reply = bench.reply_to(ticket);
            return reply && reply->result.error().code == Errc::busy;
        });
    };
    CHECK(refused() == 5);
    const Ticket served = bench.request(WaitRequest{"*", 1'000});
    CHECK(refused() == 6);
    CHECK_FALSE(bench.reply_to(served));
    bench.pass(1'020ms);
    REQUIRE(bench.reply_to(served));
    CHECK(bench.reply_to(served)->result.error().code == Errc::timeout);
}

// Goal: a wait for nothing is an error, not a success.
// Method: an unknown name; and a task that is removed in the meantime.
TEST_CASE("a wait for no task is not_found", "[coordinator][waits]") {
    CoordinatorHarness bench;
    CHECK(bench.ask(WaitRequest{"nobody"})->result.error().code == Errc::not_found);
    bench.want("web", 1);
    const Ticket wait = bench.request(WaitRequest{"web"});
    bench.ask(TaskRemoveRequest{"web"});
    REQUIRE(bench.reply_to(wait));
    CHECK(bench.reply_to(wait)->result.error().code == Errc::not_found);
}

// Goal: a wait for many tasks ends only when all of them have converged.
// Method: three tasks, one of which cannot be placed until a second node joins.
TEST_CASE("a wait for a pattern ends with the last of its tasks", "[coordinator][waits]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.want("a", 1);
    bench.want("b", 2);
    bench.want("c", 1);
    const Ticket wait = bench.request(WaitRequest{"*", 10'000});
    bench.pass(3s);
    CHECK_FALSE(bench.reply_to(wait));
    bench.join("n2");
    bench.pass(3s);
    REQUIRE(bench.reply_to(wait));
    CHECK(std::get<WaitReply>(bench.reply_to(wait)->result.value()).tasks.size() == 3);
}

// Goal: an unplaced instance is shown with its reason.
// Method: no node at all, then one node for two instances.
TEST_CASE("status counts unplaced instances with their reasons",
          "[coordinator][views][GO-07][GO-21]") {
    CoordinatorHarness bench;
    bench.want("web", 2);
    bench.pass(2s);
    StatusReply status = bench.status();
    CHECK(status.unplaced == 2);
    REQUIRE(status.unplaced_reasons.size() == 1);
    CHECK(status.unplaced_reasons.front().code == "no_nodes");
    bench.join("n1");
    bench.pass(2s);
    status = bench.status();
    CHECK(status.unplaced == 1);
    CHECK(status.running == 1);
    CHECK(status.unplaced_reasons.front().code == "max_per_node");
    const auto task = bench.read<TaskShowReply>(TaskShowRequest{"web"});
    CHECK(task.task.state == "unplaced");
    REQUIRE(task.instances.size() == 2);
    CHECK(task.instances[0].node == "n1");
    CHECK(task.instances[1].state == "unplaced");
    CHECK(bench.happened("task.unplaced", "web"));
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
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    for (const char* const task : {"crash", "done", "good", "nope", "sick"}) {
        bench.want(task, 1);
    }
    bench.want("two", 2);
    n1.obeys = false;
    bench.want("late", 1);
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
    bench.pass(1s);
    const StatusReply status = bench.status();
    CHECK(status.wanted == 8);
    CHECK(status.running == 2);
    CHECK(status.backoff == 1);
    CHECK(status.exited == 2);
    CHECK(status.failed == 1);
    CHECK(status.unplaced == 1);
    CHECK(status.starting == 1);
    CHECK_FALSE(status.converged);

    const auto task = [&](const char* name) {
        return bench.read<TaskShowReply>(TaskShowRequest{name}).task;
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
        const Ticket wait = bench.request(WaitRequest{stuck, 1'000});
        bench.pass(1s);
        REQUIRE(bench.reply_to(wait));
        CHECK_FALSE(bench.reply_to(wait)->result);
        CHECK_FALSE(bench.status().converged);
        bench.ask(TaskRemoveRequest{stuck}, bench.fresh_id());
    }
    CHECK(bench.status().stopping > 0);
    CHECK_FALSE(bench.status().converged);
    n1.obeys = true;
    bench.pass(2s);
    CHECK(bench.ask(WaitRequest{"*"})->result);
    CHECK(bench.status().converged);
}

// Goal: an answer and a later read agree.
// Method: the store confirms; the node has not obeyed, has obeyed, and has been polled.
TEST_CASE("status right after a change includes the change", "[coordinator][views]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(1s);
    n1.obeys = false;
    bench.want("web", 1);
    CHECK(bench.status().wanted == 1);
    CHECK(bench.status().starting == 1);
    CHECK_FALSE(bench.status().converged);
    n1.obeys = true;
    bench.pass(1s);
    CHECK(bench.status().running == 1);
    CHECK(bench.status().starting == 0);
    CHECK(bench.status().moving == 0);
    CHECK(bench.status().converged);  // Although no poll has decided the order yet.
}

// Goal: lists accept patterns, and unknown names are errors with a sentence.
// Method: three nodes, a host range, an unknown name.
TEST_CASE("nodes and tasks are listed by pattern in the order of names", "[coordinator][views]") {
    CoordinatorHarness bench;
    bench.join("n3");
    bench.join("n1");
    bench.join("n2");
    const auto some = bench.read<NodeListReply>(NodeListRequest{"n[2-9]"});
    REQUIRE(some.nodes.size() == 2);
    CHECK(some.nodes[0].name == "n2");
    CHECK(some.nodes[1].name == "n3");
    CHECK(some.nodes[0].version == "1.0");
    CHECK(bench.read<TaskListReply>(TaskListRequest{}).tasks.empty());
    CHECK(bench.ask(NodeShowRequest{"n9"})->result.error().code == Errc::not_found);
    CHECK(bench.ask(TaskShowRequest{"web"})->result.error().code == Errc::not_found);
    CHECK(bench.ask(NodeListRequest{"n[2"})->result.error().code == Errc::invalid);
    CHECK(bench.read<PingReply>(PingRequest{}).epoch == Epoch{3});
}

// Goal: a client that missed events can ask for them.
// Method: events since a number, with a limit.
TEST_CASE("events are numbered without gaps and can be asked for again", "[coordinator][events]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.want("web", 1);
    bench.pass(3s);
    std::uint64_t expected = 1;
    for (const Event& event : bench.events) {
        CHECK(event.sequence == expected++);
        CHECK(event.epoch == Epoch{3});
    }
    const auto reply = bench.read<EventsReply>(EventsRequest{.since = 2, .limit = 3});
    CHECK(reply.first_kept == 1);
    REQUIRE(reply.events.size() == 3);
    CHECK(reply.events.front() == bench.events[2]);
    CHECK(bench.read<EventsReply>(EventsRequest{.since = expected}).events.empty());
}

// Goal: every round is published, and rounds do not push all other events out of the ring.
// Method: count the events of two quiet minutes, as published and as kept.
TEST_CASE("every closed round is an event, and quiet ones in a row are kept as one",
          "[coordinator][events]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.pass(5s);
    const auto events_now = [&] {
        std::size_t count = 0;
        for (const Event& event : bench.events) {
            count += event.topic == "round.closed" ? 1U : 0U;
        }
        return count;
    };
    const std::size_t before = events_now();
    const std::size_t kept = bench.read<EventsReply>(EventsRequest{}).events.size();
    bench.pass(120s);
    CHECK(events_now() == before + 120);
    const auto ring = bench.read<EventsReply>(EventsRequest{});
    CHECK(ring.events.size() <= kept + 1);
    CHECK(ring.events.back() == bench.events.back());
    CHECK(ring.events.back().sequence == bench.events.size());
    CHECK(bench.read<EventsReply>(EventsRequest{.since = ring.events.back().sequence - 1})
              .events.size() == 1);
    bench["n1"].answers = false;
    bench.pass(1s);
    bench.pass(1s);
    CHECK(events_now() == before + 121);
    CHECK(bench.read<EventsReply>(EventsRequest{}).events.size() > ring.events.size());
    CHECK(bench.events.back().detail.find("missed 1") != std::string::npos);
}

// Goal: the round has the same number as muster_moves_total.
// Method: two instances start on the only node, a second node joins, and one of them moves.
TEST_CASE("a closed round counts the moves for the balance, and no other orders",
          "[coordinator][events]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.want("a", 1);
    bench.want("b", 1);
    bench.pass(5min);  // A new leadership moves nothing.
    bench.join("n2");
    bench.pass(5s);
    REQUIRE(bench.node("n2").instances == 1);
    const auto count = [&](const std::string& moves) {
        return std::ranges::count_if(bench.events, [&](const Event& event) {
            return event.topic == "round.closed" && event.detail.find(moves) != std::string::npos;
        });
    };
    CHECK(count(", moves 1,") == 1);
    CHECK(count(", moves 0,") + 1 == count(", moves "));
}

// Goal: an order without an effect is explained.
// Method: a node that cannot persist its orders, and drops every batch.
TEST_CASE("an instance that stays ordered shows the problem of its node", "[coordinator][reads]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    n1.obeys = false;
    n1.host.journal_failing = true;
    bench.want("web", 1);
    bench.pass(1s);
    const auto shown = bench.read<TaskShowReply>(TaskShowRequest{"web"});
    REQUIRE(shown.instances.size() == 1);
    CHECK(shown.instances[0].state == "ordered");
    CHECK(shown.instances[0].detail == "cannot write its own state");
}
