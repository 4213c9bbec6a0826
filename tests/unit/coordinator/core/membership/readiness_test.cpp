#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

void check_ended(FakeAgent& fake, bool passed) {
    fake.host.readiness = passed ? Readiness::passed : Readiness::failed;
    fake.host.check_exit = passed ? 0 : 7;
    ++fake.host.checks;
}

/// A node whose agent has a check that has not ended yet.
FakeAgent& join_unready(CoordinatorHarness& harness, const std::string& name) {
    harness.add(name).host.readiness = Readiness::pending;
    FakeAgent& fake = harness[name];
    harness.send_hello(fake);
    return fake;
}

FakeAgent& join_ready(CoordinatorHarness& harness, const std::string& name) {
    FakeAgent& fake = join_unready(harness, name);
    check_ended(fake, true);
    return fake;
}

}  // namespace

// Goal: a node gets no work before its host is ready for it.
// Method: a check that takes five rounds.
TEST_CASE("a node that joins serves once its check has passed", "[coordinator][nodes][readiness]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = join_unready(harness, "n1");
    harness.want("web", 1);
    harness.pass(5s);
    CHECK(harness.node("n1").health == "unready");
    CHECK(harness.node("n1").note == "its readiness check has not passed yet");
    CHECK(n1.instances.empty());
    CHECK(n1.polls.back().check);
    check_ended(n1, true);
    harness.pass(2s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.running("web") == 1);
    CHECK_FALSE(n1.polls.back().check);
}

// Goal: a failed check suspends a node, with the time, and does not make it lost.
// Method: a task ends, and the check that follows fails; some rounds later it passes.
TEST_CASE("a check that fails as a task ends suspends the node until one passes",
          "[coordinator][nodes][readiness][SC-10][SC-D15]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = join_ready(harness, "n1");
    harness.pass(2s);
    CHECK(harness.status().serving == 1);
    CHECK(harness.status().free == 1);
    CHECK(harness.status().lost == 0);
    harness.want("t", 1);
    harness.pass(1s);
    REQUIRE(n1.instances.size() == 1);
    const CivilMs before = harness.node("n1").since;

    harness.ask(TaskRemoveRequest{"t"}, harness.fresh_id());
    check_ended(n1, false);
    harness.pass(1s);
    REQUIRE(n1.instances.empty());
    CHECK(harness.node("n1").health == "unready");
    CHECK(harness.node("n1").note == "its readiness check ended with exit code 7");
    CHECK(harness.node("n1").since > before);
    CHECK(harness.status().serving == 0);
    CHECK(harness.status().free == 0);
    CHECK(harness.status().busy == 0);
    CHECK(harness.status().lost == 0);

    harness.pass(3s);
    CHECK(harness.node("n1").health == "unready");
    CHECK(n1.polls.back().check);
    check_ended(n1, true);
    harness.pass(1s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().free == 1);
}

// Goal: an exit code is shown only if there is one. Method: the agent reports -1, as for a killed
// check.
TEST_CASE("a check without an exit code is described in words", "[coordinator][nodes][readiness]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = join_ready(harness, "n1");
    harness.pass(2s);
    check_ended(n1, false);
    n1.host.check_exit = -1;
    harness.pass(1s);
    CHECK(harness.node("n1").health == "unready");
    CHECK(harness.node("n1").note ==
          "its readiness check was killed, did not end in time or cannot be run");
}

// Goal: no node is given up.
// Method: a thousand failed checks, then one that passes.
TEST_CASE("a failed check is requested again in every round, for ever",
          "[coordinator][nodes][readiness][SC-D5]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = join_ready(harness, "n1");
    harness.pass(2s);
    for (int round = 0; round < 1'000; ++round) {
        check_ended(n1, false);
        harness.pass(2s);
        REQUIRE(harness.node("n1").health == "unready");
        REQUIRE(n1.polls.back().check);
    }
    check_ended(n1, true);
    harness.pass(1s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().nodes == 1);
}

// Goal: a check from before a suspension or from another life proves nothing.
// Method: the node is suspended; its last check passed before that, the next one after it.
TEST_CASE("after a suspension only a new check makes a node ready",
          "[coordinator][nodes][readiness]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = join_ready(harness, "n1");
    harness.pass(2s);
    n1.host.spawn_failing = true;
    harness.pass(5s);
    REQUIRE(harness.node("n1").health == "flaky");
    n1.host.spawn_failing = false;
    harness.pass(31s);
    CHECK(harness.node("n1").health == "unready");
    check_ended(n1, true);
    harness.pass(1s);
    CHECK(harness.node("n1").health == "healthy");

    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    n1.host.readiness = Readiness::pending;
    n1.host.checks = 0;
    harness.give(SessionClosed{n1.session});
    n1.session = Session{901};
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK(harness.node("n1").health == "unready");
    check_ended(n1, true);
    harness.pass(1s);
    CHECK(harness.node("n1").health == "healthy");
}
