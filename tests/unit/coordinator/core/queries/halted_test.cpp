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

}  // namespace

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
