#include <algorithm>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

// Instances that an agent was ordered to start and does not report.
using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

/// Four nodes; the first by name gets the instance first.
struct BlackHole {
    CoordinatorHarness harness;
    FakeAgent& hole = harness.join("n0");

    BlackHole() {
        for (const std::string name : {"n1", "n2", "n3"}) {
            harness.join(name);
        }
        harness.pass(2s);
        hole.reports_changes = false;
    }
    void forget_all() {
        hole.instances.clear();
        hole.revision = next(hole.revision);
    }
    std::size_t starts_at_hole() const {
        std::size_t count = 0;
        for (const Batch& batch : hole.batches) {
            count += batch.starts.size();
        }
        return count;
    }
    std::size_t running_elsewhere() {
        std::size_t count = 0;
        for (const std::string name : {"n1", "n2", "n3"}) {
            count += harness[name].instances.size();
        }
        return count;
    }
    std::uint32_t contributions(const std::string& name) {
        const auto shown = harness.read<NodeShowReply>(NodeShowRequest{name});
        for (const auto& added : shown.flap_score.contributions) {
            if (added.cause == "vanished_instance") {
                return added.times;
            }
        }
        return 0;
    }
    ExplainReply explain(const std::string& instance) {
        return harness.read<ExplainReply>(ExplainRequest{Subject::instance, instance});
    }
};

bool has_failed_on(const ExplainReply& reply, const std::string& node, const std::string& detail) {
    return std::ranges::any_of(reply.verdicts, [&](const VerdictView& one) {
        return one.node == node && one.code == "failed" && one.detail == detail;
    });
}

}  // namespace

// Goal: an agent that obeys and runs nothing keeps no instance from running. Method: it
// acknowledges, and its reports stay empty; three nodes are free.
TEST_CASE("a start that was obeyed without an instance is tried elsewhere",
          "[coordinator][S18][L1]") {
    BlackHole story;
    story.harness.want("web", 1);
    for (int round = 0; round < 5; ++round) {
        story.forget_all();
        story.harness.pass(1s);
    }
    REQUIRE(story.starts_at_hole() == 1);
    CHECK(story.running_elsewhere() == 1);
    CHECK(story.harness.status().converged);
    CHECK(story.contributions("n0") == 1);
    CHECK(story.harness.happened("instance.vanished", "web.0"));
    CHECK(has_failed_on(story.explain("web.0"), "n0",
                        "by n0: it confirmed the start, and does not report the instance"));
}

// Goal: the same for an instance that appears and vanishes. Method: the agent reports it in every
// other answer.
TEST_CASE("an instance that vanishes without a report is tried elsewhere",
          "[coordinator][S18][L1]") {
    BlackHole story;
    story.harness.want("web", 1);
    for (int round = 0; round < 6; ++round) {
        story.harness.pass(1s);
        if (round % 2 == 1) {
            story.forget_all();
        }
    }
    REQUIRE(story.starts_at_hole() == 1);
    CHECK(story.running_elsewhere() == 1);
    CHECK(story.harness.status().converged);
    CHECK(story.contributions("n0") == 1);
    CHECK(has_failed_on(
        story.explain("web.0"), "n0",
        "by n0: its report no longer has the instance, and does not say how it ended"));
}

// Goal: an unknown outcome counts against the node, not against the task.
// Method: a job waits long for its silent node. The node answers, and later its report lacks the
// job.
TEST_CASE("an end that no agent reported is unknown, never failed, and its node is suspected",
          "[coordinator][SC-18]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    WantedTask job = CoordinatorHarness::wanted("job", 1);
    job.spec.restart.policy = RestartPolicy::on_failure;
    job.place.reschedule_after = 1h;
    harness.ask(TaskAddRequest{job});
    harness.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    FakeAgent& n2 = harness.join("n2");
    harness.want("web", 1);
    harness.pass(2s);
    REQUIRE(n2.instances.size() == 1);
    const auto shown = [&] { return harness.read<TaskShowReply>(TaskShowRequest{"job"}); };
    const auto added = [&] {
        return harness.read<NodeShowReply>(NodeShowRequest{"n1"}).flap_score.contributions;
    };
    CHECK(added().empty());

    n1.answers = false;
    harness.pass(1min);
    REQUIRE(harness.node("n1").health == "lost");
    REQUIRE(shown().instances.size() == 1);
    CHECK(shown().instances.front().state == "unknown");
    CHECK(shown().instances.front().node == "n1");
    CHECK(shown().task.state != "failed");
    CHECK(harness.status().failed == 0);
    CHECK(harness.status().running == 1);
    REQUIRE(added().size() == 1);
    CHECK(added().front().cause == "missed_poll");

    // The node answers again: the job is still running. Then it vanishes without a report.
    n1.answers = true;
    harness.pass(2s);
    CHECK(harness.status().running == 2);
    n1.instances.clear();
    n1.revision = next(n1.revision);
    harness.pass(3s);
    CHECK(harness.happened("instance.vanished", "job.0"));
    CHECK_FALSE(harness.happened("instance.failed", "job.0"));
    CHECK(harness.status().failed == 0);
    CHECK(shown().task.state != "failed");
    CHECK(std::ranges::any_of(added(),
                              [](const auto& one) { return one.cause == "vanished_instance"; }));
}

// Goal: a lost batch is not a vanished instance. Method: the agent obeys the next one.
TEST_CASE("a start whose batch was lost is sent again and does not count against the node",
          "[coordinator][L9]") {
    CoordinatorHarness harness;
    FakeAgent& n0 = harness.join("n0");
    harness.pass(2s);
    n0.obeys = false;
    harness.want("web", 1);
    n0.obeys = true;
    harness.want("api", 1);
    harness.pass(3s);
    CHECK(harness.running("web") == 1);
    CHECK(harness.running("api") == 1);
    CHECK(harness.read<NodeShowReply>(NodeShowRequest{"n0"}).flap_score.contributions.empty());
}

// Goal: without another node, the same one is tried again, and its reason is shown. Method: one
// node, which runs nothing.
TEST_CASE("the only node is tried again after a pause when an instance vanishes",
          "[coordinator][L1]") {
    CoordinatorHarness harness;
    FakeAgent& n0 = harness.join("n0");
    harness.pass(2s);
    n0.reports_changes = false;
    harness.want("web", 1);
    for (int round = 0; round < 20; ++round) {
        n0.instances.clear();
        n0.revision = next(n0.revision);
        harness.pass(1s);
    }
    CHECK(n0.batches.size() > 1);
    CHECK(n0.batches.size() < 8);
    n0.reports_changes = true;
    harness.pass(60s);
    CHECK(harness.running("web") == 1);
}

// Goal: a proper end does not count against the node. Method: each way in which an honest agent
// stops reporting an instance.
TEST_CASE("an instance that an honest agent no longer reports has not vanished",
          "[coordinator][L9]") {
    BlackHole story;
    story.hole.reports_changes = true;
    story.harness.want("web", 4);
    story.harness.pass(2s);
    REQUIRE(story.hole.instances.size() == 1);
    const std::string id = to_string(story.hole.instances.begin()->first);
    SECTION("an order") { story.harness.want("web", 0); }
    SECTION("a short task that has ended") {
        story.hole.instances.begin()->second.state = InstanceState::exited;
        story.hole.revision = next(story.hole.revision);
        story.harness.pass(1s);
        story.harness.want("web", 0);
    }
    SECTION("an agent that begins a new life on a rebooted host") {
        story.hole.instances.clear();
        story.hole.incarnation = Incarnation{2};
        story.hole.life = LifeId{7, 7};
        story.hole.cluster = CoordinatorHarness::cluster;
        story.hole.epoch = Epoch{3};
        story.hole.leader = CoordinatorHarness::leader;
        story.harness.give(SessionClosed{story.hole.session});
        story.hole.session = Session{977};
        story.harness.send_hello(story.hole);
    }
    SECTION("an agent that ends all it runs, and leaves") {
        Report last{.kind = ReportKind::delta,
                    .epoch = Epoch{3},
                    .round = {},
                    .incarnation = story.hole.incarnation,
                    .from = story.hole.revision,
                    .to = next(story.hole.revision),
                    .obeyed = story.hole.obeyed,
                    .host = {},
                    .instances = {},
                    .gone = {story.hole.instances.begin()->first}};
        story.hole.instances.clear();
        story.hole.answers = false;
        story.harness.give(FromAgent{story.hole.session, last});
        story.harness.give(FromAgent{story.hole.session, Departure{story.hole.incarnation, 0}});
    }
    story.harness.pass(3s);
    CHECK(story.contributions("n0") == 0);
}
