#include <cstddef>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

// Tasks `t0` to `t7`, of one instance each, in one change.
void want_eight(CoordinatorHarness& harness) {
    ApplyRequest apply;
    for (int i = 0; i < 8; ++i) {
        apply.tasks.push_back(CoordinatorHarness::wanted("t" + std::to_string(i), 1));
    }
    harness.ask(apply, harness.fresh_id());
}

}  // namespace

// Agents that do not receive, are slow or refuse orders cost the others nothing.

// Goal: an agent that never answers delays no other, and its share runs elsewhere.
// Method: n1 has joined and never answers a poll nor ends its session; three tasks are wanted.
TEST_CASE("a round ends in time for all other nodes while one never answers",
          "[coordinator][rounds][GO-20]") {
    CoordinatorHarness harness;
    FakeAgent& n0 = harness.join("n0");
    FakeAgent& n1 = harness.add("n1");
    n1.answers = n1.obeys = false;
    harness.send_hello(n1);
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1s);
    const Round before = harness.status().round;
    for (const char* const task : {"t0", "t1", "t2"}) {
        harness.want(task, 1);
    }
    harness.pass(2s);
    CHECK(raw(harness.status().round) == raw(before) + 2);
    CHECK(n1.batches.empty());
    CHECK(n0.instances.size() + n2.instances.size() == 3);
    CHECK(harness.status().converged);
}

// Goal: no number of silent peers delays a round or an answer to an operator.
// Method: hundreds that never answer, one that does.
TEST_CASE("any number of silent agents delays neither a round nor a request",
          "[coordinator][rounds][GO-D7][SC-D10]") {
    CoordinatorHarness harness;
    for (int i = 0; i < 500; ++i) {
        FakeAgent& mute = harness.add("mute" + std::to_string(i));
        mute.answers = mute.obeys = false;
        harness.send_hello(mute);
    }
    FakeAgent& good = harness.join("good");
    harness.pass(1s);
    const Round before = harness.status().round;
    harness.pass(500ms);
    REQUIRE(harness.want("web", 1));  // In the middle of a round that most will miss.
    CHECK(good.instances.size() == 1);
    CHECK(harness.ask(WaitRequest{"web"})->result);
    harness.pass(2500ms);
    CHECK(raw(harness.status().round) == raw(before) + 3);
}

// Goal: orders of a round are sent together, one batch for each node.
// Method: eight tasks and two nodes, one of which answers polls and does not obey.
TEST_CASE("a node that answers polls but does not obey delays only itself",
          "[coordinator][commands][GO-D11]") {
    CoordinatorHarness harness;
    FakeAgent& n0 = harness.join("n0");
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.obeys = false;
    want_eight(harness);
    CHECK(n0.batches.size() == 1);
    CHECK(n0.instances.size() == 4);
    REQUIRE(n1.batches.size() == 1);
    CHECK(n1.batches.front().starts.size() == 4);

    // A deadline ends with its command: after the next answer the batch is forgotten, and its
    // orders are planned again.
    harness.pass(1s);
    REQUIRE(n1.batches.size() == 2);
    CHECK(n1.batches.back().sequence == Sequence{2});
    n1.obeys = true;
    harness.pass(1s);
    CHECK(n1.instances.size() == 4);
    CHECK(n0.batches.size() == 1);
    CHECK(harness.status().converged);
}

// Goal: a refusal applies only to the order that it names.
// Method: one of a batch of four starts is refused; the others are obeyed.
TEST_CASE("one refused start leaves every other command of the round in force",
          "[coordinator][commands][GO-D12]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1s);
    n1.obeys = false;
    want_eight(harness);
    CHECK(n2.instances.size() == 4);
    REQUIRE(n1.batches.size() == 1);
    const Batch batch = n1.batches.front();
    REQUIRE(batch.starts.size() == 4);

    Ack ack{batch.epoch, Incarnation{1}, batch.sequence, {}};
    ack.refusals.push_back(
        {batch.starts[1].id, batch.starts[1].generation, Errc::too_large, "no room for one more"});
    Report report{.kind = ReportKind::delta,
                  .epoch = batch.epoch,
                  .round = {},
                  .incarnation = n1.incarnation,
                  .from = n1.revision,
                  .to = next(n1.revision),
                  .obeyed = batch.sequence,
                  .host = {},
                  .instances = {},
                  .gone = {}};
    for (const std::size_t at : {0U, 2U, 3U}) {
        InstanceReport& instance = n1.instances[batch.starts[at].id];
        instance.id = batch.starts[at].id;
        instance.generation = batch.starts[at].generation;
        instance.state = InstanceState::running;
        report.instances.push_back(instance);
    }
    n1.revision = report.to;
    n1.obeyed = batch.sequence;
    harness.give(FromAgent{n1.session, ack});
    harness.give(FromAgent{n1.session, report});
    CHECK(harness.status().running == 8);
    CHECK(n2.instances.contains(batch.starts[1].id));  // Another node gets the order at once.
    CHECK(harness.happened("instance.refused", to_string(batch.starts[1].id)));
}

// Goal: a start that was accepted and has no known outcome is decided by the next report.
// Method: the node takes the start, and is silent for two rounds.
TEST_CASE("a start with unknown outcome is decided by the next report, and not started twice",
          "[coordinator][commands][SC-20]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.reports_changes = n1.answers = false;
    harness.want("web", 1);
    REQUIRE(n1.batches.size() == 1);
    harness.pass(2s);
    CHECK(n1.batches.size() == 1);
    CHECK(harness.status().starting == 1);
    n1.answers = true;
    SECTION("it runs") {
        harness.pass(2s);
        CHECK(n1.batches.size() == 1);
        CHECK(harness.status().running == 1);
    }
    SECTION("it does not run") {
        n1.instances.clear();
        n1.obeyed = Sequence{};
        n1.reports_changes = true;
        harness.pass(2s);
        CHECK(n1.batches.size() == 2);
        CHECK(harness.status().running == 1);
    }
}

// Goal: an order is visible before it is reported.
// Method: a node that obeys and does not report until it is polled.
TEST_CASE("a node shows an instance from the time of its order", "[coordinator][views][SC-08]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.reports_changes = false;
    harness.want("web", 1);
    auto shown = harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    REQUIRE(shown.instances.size() == 1);
    CHECK(shown.instances.front().id == InstanceId{"web", 0});
    CHECK(shown.instances.front().state == "ordered");
    harness.give(FromAgent{n1.session, Ack{Epoch{3}, Incarnation{1}, n1.obeyed, {}}});
    CHECK(harness.read<NodeShowReply>(NodeShowRequest{"n1"}).instances.size() == 1);
    harness.pass(1s);
    shown = harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    REQUIRE(shown.instances.size() == 1);
    CHECK(shown.instances.front().state == "running");
    CHECK(shown.node.instances == 1);
}

// Goal: one request replaces the whole wanted set.
// Method: three tasks run on three nodes; apply two of them with replace.
TEST_CASE("a wanted set replaced in one request stops what it lacks and starts nothing",
          "[coordinator][changes][GO-17]") {
    CoordinatorHarness harness;
    for (const char* const node : {"n0", "n1", "n2"}) {
        harness.join(node);
    }
    ApplyRequest apply;
    for (const char* const task : {"t0", "t1", "t2"}) {
        apply.tasks.push_back(CoordinatorHarness::wanted(task, 1));
    }
    harness.ask(apply, harness.fresh_id());
    harness.pass(2s);
    REQUIRE(harness.status().running == 3);
    for (auto& [name, fake] : harness.fakes) {
        fake.batches.clear();
    }
    apply.tasks.erase(apply.tasks.begin() + 1);
    apply.replace = true;
    const auto reply = harness.ask(apply, harness.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    harness.pass(3s);
    std::size_t stops = 0;
    for (const auto& [name, fake] : harness.fakes) {
        for (const Batch& batch : fake.batches) {
            CHECK(batch.starts.empty());
            for (const Stop& stop : batch.stops) {
                CHECK(stop.id.task == "t1");
                ++stops;
            }
        }
    }
    CHECK(stops == 1);
    CHECK(harness.status().running == 2);
    CHECK(harness.status().converged);
}

// Goal: a node that reports nothing has nothing to give up, whatever changes.
// Method: an empty node and one that has not answered yet, while tasks are removed and a node is
// lost.
TEST_CASE("nothing is taken from nodes that report no instances", "[coordinator][GO-18]") {
    CoordinatorHarness harness;
    FakeAgent& busy = harness.join("busy");
    harness.want("web", 1);
    harness.pass(2s);
    REQUIRE(busy.instances.size() == 1);
    FakeAgent& empty = harness.join("empty");
    FakeAgent& mute = harness.add("mute");
    mute.answers = mute.obeys = false;
    harness.send_hello(mute);
    harness.pass(2s);
    SECTION("the balance") { harness.pass(3s); }
    SECTION("removal of the task") {
        harness.ask(TaskRemoveRequest{"web"}, harness.fresh_id());
        harness.pass(3s);
    }
    SECTION("their loss") {
        empty.answers = false;
        harness.pass(5s);
        CHECK(harness.node("empty").health == "lost");
    }
    CHECK(empty.batches.empty());
    CHECK(mute.batches.empty());
    CHECK(harness.status().converged);
}

// Goal: inputs and outputs are values.
// Method: change the image, the messages and the answers after they were given.
TEST_CASE("inputs and outputs can be changed without an effect on the core",
          "[coordinator][GO-D10]") {
    StoreImage image = CoordinatorHarness::empty_store();
    image.tasks.push_back({CoordinatorHarness::wanted("web", 1), Generation{5}, Generation{5}});
    CoordinatorHarness harness{image};
    image.tasks.clear();
    FakeAgent& n1 = harness.add("n1");
    Hello hello = CoordinatorHarness::hello_of(n1);
    harness.give(FromAgent{n1.session, hello});
    hello.name = "n2";
    harness.pass(2s);
    CHECK(harness.read<NodeListReply>(NodeListRequest{}).nodes.size() == 1);

    CoreRequest asked{harness.fresh_id(), ApplyRequest{}};
    auto& apply = std::get<ApplyRequest>(asked.body);
    apply.tasks.push_back(CoordinatorHarness::wanted("api", 1));
    const FromOperator handed_in{Ticket{900}, asked};
    harness.give(handed_in);
    CHECK(handed_in.request->body == asked.body);  // Nor is the input changed.
    apply.tasks.front().instances = 7;
    apply.tasks.push_back(CoordinatorHarness::wanted("db", 1));
    auto listed = harness.read<TaskListReply>(TaskListRequest{});
    REQUIRE(listed.tasks.size() == 2);
    CHECK(listed.tasks.front().instances == 1);
    listed.tasks.clear();
    CHECK(harness.read<TaskListReply>(TaskListRequest{}).tasks.size() == 2);

    harness.pass(1s);
    n1.instances.clear();  // It does not report this, so the coordinator uses the earlier report.
    auto shown = harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    CHECK(shown.instances.size() == 2);
}

// Goal: a failed instance is visible, and never forgotten.
// Method: an agent gives up an instance; an hour passes.
TEST_CASE("a failed instance is shown with its reason until somebody acts",
          "[coordinator][views][SC-22]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(1s);
    InstanceReport& instance = n1.instances.at({"web", 0});
    instance.state = InstanceState::failed;
    instance.restarts = 9;
    instance.detail = "10 starts within 600 s: ended with exit code 1";
    n1.revision = next(n1.revision);
    harness.pass(1h);
    CHECK(harness.status().failed == 1);
    const auto task = harness.read<TaskShowReply>(TaskShowRequest{"web"}).task;
    CHECK(task.state == "failed");
    CHECK_THAT(task.detail, Catch::Contains("10 starts within 600 s"));
}
