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
std::vector<std::string> orders_of(const CoordinatorHarness& bench) {
    std::vector<std::string> lines;
    for (const auto& [name, fake] : bench.fakes) {
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

void forget_orders(CoordinatorHarness& bench) {
    for (auto& [name, fake] : bench.fakes) {
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
    ThreeRun bench;
    CHECK(orders_of(bench) ==
          std::vector<std::string>{"start t0.0 n0", "start t1.0 n1", "start t2.0 n2"});
    bench.pass(5s);
    CHECK(orders_of(bench).size() == 3);
    const StatusReply status = bench.status();
    CHECK(status.tasks == 3);
    CHECK(status.wanted == 3);
    CHECK(status.running == 3);
    const auto reported = bench.read<ReportedReply>(ReportedRequest{});
    REQUIRE(reported.nodes.size() == 3);
    for (const ReportedNode& node : reported.nodes) {
        CHECK(node.instances.size() == 1);
    }
}

// Goal: repeating an unchanged task or node changes neither the store nor what runs.
// Method: the same tasks and nodes in separate requests; then twice in one request.
TEST_CASE("naming the same task or node twice changes nothing", "[coordinator][wanted][GO-01]") {
    ThreeRun bench;
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n0"}}}, bench.fresh_id())->result);
    bench.pass(3s);
    const StatusReply before = bench.status();
    const auto task = bench.read<TaskShowReply>(TaskShowRequest{"t1"}).task;
    forget_orders(bench);

    const auto again = bench.ask(three_tasks(), bench.fresh_id());
    REQUIRE(again->result);
    CHECK(actions(*again) == std::vector<std::string>{"unchanged", "unchanged", "unchanged"});
    const auto listed = bench.ask(NodeAddRequest{{{.name = "n0"}}}, bench.fresh_id());
    REQUIRE(listed->result);
    CHECK(std::get<NodesChangeReply>(*listed->result).changes.front().action == "unchanged");
    bench.send_hello(bench["n1"]);
    bench.pass(3s);
    CHECK(orders_of(bench).empty());
    CHECK(bench.status().counter == before.counter);
    CHECK(bench.status().nodes == 3);
    CHECK(bench.status().tasks == 3);
    CHECK(bench.read<TaskShowReply>(TaskShowRequest{"t1"}).task.generation == task.generation);

    ApplyRequest twice = three_tasks();
    twice.tasks.push_back(twice.tasks.front());
    CHECK_FALSE(bench.ask(twice, bench.fresh_id())->result);
    CHECK_FALSE(
        bench.ask(NodeAddRequest{{{.name = "n3"}, {.name = "n3"}}}, bench.fresh_id())->result);
    CHECK(bench.status().counter == before.counter);
}

// Goal: the same name with another spec is not ignored. Method: another program for one task.
TEST_CASE("a task named again with another spec is a new generation, and runs as such",
          "[coordinator][wanted][GO-01]") {
    ThreeRun bench;
    bench.pass(2s);
    const auto before = bench.read<TaskShowReply>(TaskShowRequest{"t1"}).task;
    const auto reply = bench.want("t1", 1, "/bin/cat");
    REQUIRE(reply->result);
    CHECK(actions(*reply) == std::vector<std::string>{"change"});
    bench.pass(20s);
    const auto after = bench.read<TaskShowReply>(TaskShowRequest{"t1"});
    CHECK(after.task.generation > before.generation);
    CHECK(after.wanted.spec.argv.front() == "/bin/cat");
    REQUIRE(after.instances.size() == 1);
    CHECK(after.instances.front().generation == after.task.generation);
    CHECK(bench.status().converged);
}

// Goal: a removal is one stop, and nothing else changes. Method: one of three tasks is removed; its
// node stays empty, though the others have one each.
TEST_CASE("a removed task is stopped on its node, and nothing is started",
          "[coordinator][wanted][GO-16]") {
    ThreeRun bench;
    bench.pass(3s);
    REQUIRE(bench["n1"].instances.contains({"t1", 0}));
    forget_orders(bench);
    REQUIRE(bench.ask(TaskRemoveRequest{"t1"}, bench.fresh_id())->result);
    bench.pass(10s);
    CHECK(orders_of(bench) == std::vector<std::string>{"stop t1.0 n1"});
    CHECK(bench["n1"].instances.empty());
    CHECK(bench.status().running == 2);
    CHECK(bench.status().converged);
}
