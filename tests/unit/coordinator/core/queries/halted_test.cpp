// What is said about a task whose roll-out is halted.

#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/queries/explain_scene.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

const std::string halt_of_new_copy =
    "the roll-out is halted: web.0 on n4 did not run for 3s (ended with exit code 3); apply a "
    "version that does, or the one before; 'muster logs web.0' shows what it printed";

/// Reports that the instance on this node ended, and starts again after a delay.
void end(CoordinatorHarness& bench, FakeAgent& fake, const InstanceId& id) {
    InstanceReport& instance = fake.instances.at(id);
    instance.state = InstanceState::backoff;
    instance.exit_code = 3;
    Report report{.kind = ReportKind::delta,
                  .epoch = Epoch{3},
                  .round = {},
                  .incarnation = fake.incarnation,
                  .from = fake.revision,
                  .to = next(fake.revision),
                  .obeyed = fake.obeyed,
                  .host = {},
                  .instances = {instance},
                  .gone = {}};
    fake.revision = report.to;
    bench.give(FromAgent{fake.session, report});
}

/// Three instances on three nodes. The new copy of web.0 on the fourth node ended before
/// min_healthy.
void halt(CoordinatorHarness& bench) {
    for (const auto* name : {"n1", "n2", "n3"}) {
        bench.join(name);
    }
    bench.pass(1s);
    WantedTask web = CoordinatorHarness::wanted("web", 3);
    web.spec.update.min_healthy = 3s;
    settle(bench, web);
    bench.pass(5s);
    bench.join("n4");
    bench.pass(2s);
    REQUIRE(bench.ask(TaskRestartRequest{"web"}, bench.fresh_id())->result);
    bench.pass(1s);
    REQUIRE(bench["n4"].instances.contains({"web", 0}));
    end(bench, bench["n4"], {"web", 0});
    bench.pass(1s);
    REQUIRE(bench.status().alarms == std::vector{"task 'web': " + halt_of_new_copy});
}

std::string node_of(CoordinatorHarness& bench, const InstanceId& id) {
    for (const auto& [name, fake] : bench.fakes) {
        if (name != "n4" && fake.instances.contains(id)) {
            return name;
        }
    }
    return {};
}

/// The only blocker of the drain of this node.
DrainBlocker blocker_of(CoordinatorHarness& bench, const std::string& node) {
    REQUIRE(bench.ask(NodeDrainRequest{.pattern = node}, bench.fresh_id())->result);
    bench.pass(2s);
    const auto drain = bench.read<NodeShowReply>(NodeShowRequest{node}).drain;
    REQUIRE(drain.blocked_by.size() == 1);
    return drain.blocked_by.front();
}

}  // namespace

TEST_CASE("status counts the tasks whose roll-out is halted", "[coordinator][views][rollout]") {
    CoordinatorHarness bench;
    CHECK(bench.status().halted == 0);
    halt(bench);
    CHECK(bench.status().halted == 1);
}

// Goal: the copy at fault is not explained as if its node were the question. Method: the halting
// copy, one that waits, and the task.
TEST_CASE("explanations of a task whose roll-out is halted begin with the halt",
          "[coordinator][explain][rollout]") {
    CoordinatorHarness bench;
    halt(bench);
    const auto at_fault = explain_instance(bench, "web.0");
    CHECK(at_fault.state == "backoff");
    CHECK(at_fault.decided_by == "halted");
    CHECK(at_fault.detail.starts_with(halt_of_new_copy + "; "));
    const auto waits = explain_instance(bench, "web.1");
    CHECK(waits.decided_by != "halted");
    CHECK_THAT(waits.detail, Catch::EndsWith("but " + halt_of_new_copy));
    const auto task = explain(bench, Subject::task, "web");
    CHECK(task.decided_by == "halted");
    CHECK(task.detail == halt_of_new_copy + "; updated 0 of 3");
}

TEST_CASE("a drain that a halted roll-out blocks names the halt", "[coordinator][drain][rollout]") {
    CoordinatorHarness bench;
    halt(bench);
    SECTION("on the node of the copy at fault") {
        const DrainBlocker blocker = blocker_of(bench, "n4");
        CHECK(blocker.code == "max_surge");
        CHECK(blocker.detail == "another copy of the task must stop first; " + halt_of_new_copy);
    }
    SECTION("on the node of the copy that it is to replace") {
        const DrainBlocker blocker = blocker_of(bench, node_of(bench, {"web", 0}));
        CHECK(blocker.code == "target_down");
        CHECK_THAT(blocker.detail, Catch::EndsWith("; " + halt_of_new_copy));
    }
    SECTION("on the node of a copy that is still to be replaced") {
        const DrainBlocker blocker = blocker_of(bench, node_of(bench, {"web", 1}));
        CHECK(blocker.code == "min_healthy");
        CHECK(blocker.detail == halt_of_new_copy);
    }
}
