// A task whose roll-out is halted: the texts of status, explain and drains.

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
void end(CoordinatorHarness& harness, FakeAgent& fake, const InstanceId& id) {
    InstanceReport& instance = fake.instances.at(id);
    instance.state = InstanceState::backoff;
    instance.exit_code = 3;
    harness.report_change(fake, id);
}

/// Three instances on three nodes. The new copy of web.0 on the fourth node ended before
/// min_healthy.
void halt(CoordinatorHarness& harness) {
    for (const auto* name : {"n1", "n2", "n3"}) {
        harness.join(name);
    }
    harness.pass(1s);
    WantedTask web = CoordinatorHarness::wanted("web", 3);
    web.spec.update.min_healthy = 3s;
    place(harness, web);
    harness.pass(5s);
    harness.join("n4");
    harness.pass(2s);
    REQUIRE(harness.ask(TaskRestartRequest{"web"}, harness.fresh_id())->result);
    harness.pass(1s);
    REQUIRE(harness["n4"].instances.contains({"web", 0}));
    end(harness, harness["n4"], {"web", 0});
    harness.pass(1s);
    REQUIRE(harness.status().alarms == std::vector{"task 'web': " + halt_of_new_copy});
}

std::string node_of(CoordinatorHarness& harness, const InstanceId& id) {
    for (const auto& [name, fake] : harness.fakes) {
        if (name != "n4" && fake.instances.contains(id)) {
            return name;
        }
    }
    return {};
}

/// The only blocker of the drain of this node.
DrainBlocker blocker_of(CoordinatorHarness& harness, const std::string& node) {
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = node}, harness.fresh_id())->result);
    harness.pass(2s);
    const auto drain = harness.read<NodeShowReply>(NodeShowRequest{node}).drain;
    REQUIRE(drain.blocked_by.size() == 1);
    return drain.blocked_by.front();
}

}  // namespace

TEST_CASE("status counts the tasks whose roll-out is halted", "[coordinator][views][rollout]") {
    CoordinatorHarness harness;
    CHECK(harness.status().halted == 0);
    halt(harness);
    CHECK(harness.status().halted == 1);
}

// Goal: the copy at fault is not explained as if its node were the question. Method: the halting
// copy, one that waits, and the task.
TEST_CASE("explanations of a task whose roll-out is halted begin with the halt",
          "[coordinator][explain][rollout]") {
    CoordinatorHarness harness;
    halt(harness);
    const auto at_fault = explain_instance(harness, "web.0");
    CHECK(at_fault.state == "backoff");
    CHECK(at_fault.decided_by == "halted");
    CHECK(at_fault.detail.starts_with(halt_of_new_copy + "; "));
    const auto waits = explain_instance(harness, "web.1");
    CHECK(waits.decided_by != "halted");
    CHECK_THAT(waits.detail, Catch::EndsWith("but " + halt_of_new_copy));
    const auto task = explain(harness, Subject::task, "web");
    CHECK(task.decided_by == "halted");
    CHECK(task.detail == halt_of_new_copy + "; updated 0 of 3");
}

TEST_CASE("the copy that halts a roll-out leaves a drained node, and no other is replaced",
          "[coordinator][drain][rollout]") {
    CoordinatorHarness harness;
    halt(harness);
    REQUIRE(harness.ask(NodeDrainRequest{.pattern = "n4"}, harness.fresh_id())->result);
    harness.pass(2s);
    CHECK(harness["n4"].instances.empty());
    CHECK(harness.node("n4").intent == "offline");
    // Only this instance is tried again, in its place.
    Generation newest{};
    std::size_t updated = 0;
    for (const auto& [name, fake] : harness.fakes) {
        for (const auto& [id, instance] : fake.instances) {
            updated = instance.generation > newest ? 0 : updated;
            newest = std::max(newest, instance.generation);
            updated += instance.generation == newest ? 1U : 0U;
        }
    }
    CHECK(updated == 1);
}

TEST_CASE("a drain that a halted roll-out blocks names the halt", "[coordinator][drain][rollout]") {
    CoordinatorHarness harness;
    halt(harness);
    SECTION("on the node of the copy that it is to replace") {
        const DrainBlocker blocker = blocker_of(harness, node_of(harness, {"web", 0}));
        CHECK(blocker.code == "target_down");
        CHECK_THAT(blocker.detail, Catch::EndsWith("; " + halt_of_new_copy));
    }
    SECTION("on the node of a copy that is still to be replaced") {
        const DrainBlocker blocker = blocker_of(harness, node_of(harness, {"web", 1}));
        CHECK(blocker.code == "min_healthy");
        CHECK(blocker.detail == halt_of_new_copy);
    }
}
