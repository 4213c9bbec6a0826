// The simplest cases of a wanted set, with a coordinator and its agents.

#include <cstddef>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

/// `t0`, `t1` and `t2`, of one instance each.
ApplyRequest three_tasks() {
    ApplyRequest apply;
    for (const char* const task : {"t0", "t1", "t2"}) {
        apply.tasks.push_back(CoordinatorHarness::wanted(task, 1));
    }
    return apply;
}

/// All orders to the agents: `start t0.0 n0`.
std::vector<std::string> orders_of(const CoordinatorHarness& harness) {
    std::vector<std::string> lines;
    for (const auto& [name, fake] : harness.fakes) {
        for (const Batch& batch : fake.batches) {
            for (const Stop& stop : batch.stops) {
                lines.push_back("stop " + to_string(stop.id) + " " + name);
            }
            for (const Start& start : batch.starts) {
                lines.push_back("start " + to_string(start.id) + " " + name);
            }
        }
    }
    return lines;
}

void forget_orders(CoordinatorHarness& harness) {
    for (auto& [name, fake] : harness.fakes) {
        fake.batches.clear();
    }
}

/// Three nodes that run the three tasks.
struct ThreeRun : CoordinatorHarness {
    ThreeRun() {
        for (const char* const node : {"n0", "n1", "n2"}) {
            join(node);
        }
        pass(1s);
        REQUIRE(ask(three_tasks(), fresh_id())->result);
    }
};

std::vector<std::string> actions(const Reply& reply) {
    std::vector<std::string> all;
    for (const TaskChange& change : std::get<ChangeReply>(*reply.result).changes) {
        all.push_back(change.action);
    }
    return all;
}

}  // namespace

// Goal: each node gets one start, of one task, and no order after it.
// Method: three tasks in one request; then five rounds.
TEST_CASE("three tasks are wanted, three nodes report, and each starts one",
          "[coordinator][wanted][GO-01]") {
    ThreeRun harness;
    CHECK(orders_of(harness) ==
          std::vector<std::string>{"start t0.0 n0", "start t1.0 n1", "start t2.0 n2"});
    harness.pass(5s);
    CHECK(orders_of(harness).size() == 3);
    const StatusReply status = harness.status();
    CHECK(status.tasks == 3);
    CHECK(status.wanted == 3);
    CHECK(status.running == 3);
    const auto reported = harness.read<ReportedReply>(ReportedRequest{});
    REQUIRE(reported.nodes.size() == 3);
    for (const ReportedNode& node : reported.nodes) {
        CHECK(node.instances.size() == 1);
    }
}

// Goal: repeating an unchanged task or node changes neither the store nor what runs.
// Method: the same tasks and nodes in separate requests; then twice in one request.
TEST_CASE("naming the same task or node twice changes nothing", "[coordinator][wanted][GO-01]") {
    ThreeRun harness;
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n0"}}}, harness.fresh_id())->result);
    harness.pass(3s);
    const StatusReply before = harness.status();
    const auto task = harness.read<TaskShowReply>(TaskShowRequest{"t1"}).task;
    forget_orders(harness);

    const auto again = harness.ask(three_tasks(), harness.fresh_id());
    REQUIRE(again->result);
    CHECK(actions(*again) == std::vector<std::string>{"unchanged", "unchanged", "unchanged"});
    const auto listed = harness.ask(NodeAddRequest{{{.name = "n0"}}}, harness.fresh_id());
    REQUIRE(listed->result);
    CHECK(std::get<NodesChangeReply>(*listed->result).changes.front().action == "unchanged");
    harness.send_hello(harness["n1"]);
    harness.pass(3s);
    CHECK(orders_of(harness).empty());
    CHECK(harness.status().counter == before.counter);
    CHECK(harness.status().nodes == 3);
    CHECK(harness.status().tasks == 3);
    CHECK(harness.read<TaskShowReply>(TaskShowRequest{"t1"}).task.generation == task.generation);

    ApplyRequest twice = three_tasks();
    twice.tasks.push_back(twice.tasks.front());
    CHECK_FALSE(harness.ask(twice, harness.fresh_id())->result);
    CHECK_FALSE(
        harness.ask(NodeAddRequest{{{.name = "n3"}, {.name = "n3"}}}, harness.fresh_id())->result);
    CHECK(harness.status().counter == before.counter);
}

// Goal: the same name with another spec is not ignored. Method: another program for one task.
TEST_CASE("a task named again with another spec is a new generation, and runs as such",
          "[coordinator][wanted][GO-01]") {
    ThreeRun harness;
    harness.pass(2s);
    const auto before = harness.read<TaskShowReply>(TaskShowRequest{"t1"}).task;
    const auto reply = harness.want("t1", 1, "/bin/cat");
    REQUIRE(reply->result);
    CHECK(actions(*reply) == std::vector<std::string>{"change"});
    harness.pass(20s);
    const auto after = harness.read<TaskShowReply>(TaskShowRequest{"t1"});
    CHECK(after.task.generation > before.generation);
    CHECK(after.wanted.spec.argv.front() == "/bin/cat");
    REQUIRE(after.instances.size() == 1);
    CHECK(after.instances.front().generation == after.task.generation);
    CHECK(harness.status().converged);
}

// Goal: a removal is one stop, and nothing else changes. Method: one of three tasks is removed; its
// node stays empty, though the others have one each.
TEST_CASE("a removed task is stopped on its node, and nothing is started",
          "[coordinator][wanted][GO-16]") {
    ThreeRun harness;
    harness.pass(3s);
    REQUIRE(harness["n1"].instances.contains({"t1", 0}));
    forget_orders(harness);
    REQUIRE(harness.ask(TaskRemoveRequest{"t1"}, harness.fresh_id())->result);
    harness.pass(10s);
    CHECK(orders_of(harness) == std::vector<std::string>{"stop t1.0 n1"});
    CHECK(harness["n1"].instances.empty());
    CHECK(harness.status().running == 2);
    CHECK(harness.status().converged);
}
