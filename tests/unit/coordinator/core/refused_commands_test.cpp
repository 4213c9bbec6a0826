// A refusal or a faulty row affects only the instance that it names.

#include <cstddef>
#include <string>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

InstanceReport running(const InstanceId& id, Generation generation) {
    InstanceReport instance;
    instance.id = id;
    instance.generation = generation;
    instance.state = InstanceState::running;
    return instance;
}

/// The agent reports its instances without a poll: it has obeyed the batch except for what it
/// refused.
void report_unasked(CoordinatorHarness& harness, FakeAgent& fake, const Batch& batch,
                    const std::vector<InstanceReport>& started,
                    const std::vector<InstanceId>& gone) {
    const Report report{.kind = ReportKind::delta,
                        .epoch = batch.epoch,
                        .round = {},
                        .incarnation = fake.incarnation,
                        .from = fake.revision,
                        .to = next(fake.revision),
                        .obeyed = batch.sequence,
                        .host = {},
                        .instances = started,
                        .gone = gone};
    for (const InstanceReport& instance : started) {
        fake.instances[instance.id] = instance;
    }
    for (const InstanceId& id : gone) {
        fake.instances.erase(id);
    }
    fake.revision = report.to;
    fake.obeyed = batch.sequence;
    harness.give(FromAgent{fake.session, report});
}

}  // namespace

// Goal: a refused start is placed elsewhere, and the other starts of its batch are not ordered
// again. Method: one of four starts is refused. The refusal arrives before the report with the
// others.
TEST_CASE("after a refused start only that start is ordered again",
          "[coordinator][commands][GO-D12]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1s);
    n1.obeys = false;
    ApplyRequest apply;
    for (int task = 0; task < 8; ++task) {
        apply.tasks.push_back(CoordinatorHarness::wanted("t" + std::to_string(task), 1));
    }
    harness.ask(apply, harness.fresh_id());
    REQUIRE(n1.batches.size() == 1);
    const Batch batch = n1.batches.front();
    REQUIRE(batch.starts.size() == 4);
    const Start refused = batch.starts[1];

    const std::size_t batches = n2.batches.size();
    harness.give(FromAgent{n1.session, Ack{batch.epoch,
                                           n1.incarnation,
                                           batch.sequence,
                                           {{refused.id, refused.generation, Errc::too_large,
                                             "no room for one more"}}}});
    REQUIRE(n2.batches.size() == batches + 1);
    REQUIRE(n2.batches.back().starts.size() == 1);
    CHECK(n2.batches.back().starts.front().id == refused.id);
    CHECK(n1.batches.size() == 1);
    std::vector<InstanceReport> started;
    for (const std::size_t at : {0U, 2U, 3U}) {
        started.push_back(running(batch.starts[at].id, batch.starts[at].generation));
    }
    report_unasked(harness, n1, batch, started, {});
    CHECK(harness.status().running == 8);
    CHECK(n1.batches.size() == 1);
}

// Goal: a refused stop is ordered again, and the other commands stay in force. Method: two tasks
// replace two others on one node, in one batch; one of the stops is refused.
TEST_CASE("one refused stop leaves every other command of the round in force",
          "[coordinator][commands][GO-D12]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    ApplyRequest apply;
    apply.tasks = {CoordinatorHarness::wanted("a", 1), CoordinatorHarness::wanted("b", 1)};
    harness.ask(apply, harness.fresh_id());
    harness.pass(2500ms);
    REQUIRE(n1.instances.size() == 2);
    n1.batches.clear();
    n1.obeys = false;
    apply.tasks = {CoordinatorHarness::wanted("c", 1), CoordinatorHarness::wanted("d", 1)};
    apply.replace = true;
    harness.ask(apply, harness.fresh_id());
    REQUIRE(n1.batches.size() == 1);
    const Batch batch = n1.batches.front();
    REQUIRE(batch.stops.size() == 2);
    REQUIRE(batch.starts.size() == 2);

    const Stop& refused = batch.stops.front();
    harness.give(FromAgent{
        n1.session, Ack{batch.epoch,
                        n1.incarnation,
                        batch.sequence,
                        {{refused.id, refused.generation, Errc::busy, "it cannot end now"}}}});
    CHECK(harness.happened("instance.refused", to_string(refused.id)));
    CHECK(n1.batches.size() == 1);
    report_unasked(harness, n1, batch,
                   {running(batch.starts[0].id, batch.starts[0].generation),
                    running(batch.starts[1].id, batch.starts[1].generation)},
                   {batch.stops[1].id});
    CHECK(harness.status().running == 2);
    CHECK(n1.instances.size() == 3);

    n1.obeys = true;
    harness.pass(3s);
    REQUIRE(n1.batches.size() > 1);
    for (std::size_t at = 1; at < n1.batches.size(); ++at) {
        CHECK(n1.batches[at].starts.empty());
        REQUIRE(n1.batches[at].stops.size() == 1);
        CHECK(n1.batches[at].stops.front().id == refused.id);
    }
    CHECK(n1.instances.size() == 2);
    CHECK(harness.status().converged);
}

// Goal: a report that contradicts itself is marked, and no number is wrong. Method: a node lists
// its instance twice, in an answer to a poll and then without a poll.
TEST_CASE("an instance that a report lists twice counts once everywhere, and the node is marked",
          "[coordinator][reports][GO-D15]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(1500ms);
    REQUIRE(n1.instances.size() == 1);
    const InstanceReport web = n1.instances.begin()->second;
    n1.answers = false;
    harness.pass(1s);
    const auto marks = [&] {
        std::size_t found = 0;
        for (const Event& event : harness.events) {
            found += event.topic == "node.faulty" && event.name == "n1" ? 1U : 0U;
        }
        return found;
    };
    REQUIRE(marks() == 0);

    Report report = harness.report_of(n1, n1.polls.back());
    report.kind = ReportKind::snapshot;
    report.to = n1.revision = next(n1.revision);
    report.instances = {web, web};
    harness.give(FromAgent{n1.session, report});
    CHECK(marks() == 1);
    report.kind = ReportKind::delta;
    report.round = {};
    report.from = n1.revision;
    report.to = n1.revision = next(n1.revision);
    report.instances.front().restarts = report.instances.back().restarts = 1;
    harness.give(FromAgent{n1.session, report});
    CHECK(marks() == 2);

    const auto shown = harness.read<NodeShowReply>(NodeShowRequest{"n1"});
    CHECK(shown.node.instances == 1);
    CHECK(shown.instances.size() == 1);
    CHECK(harness.read<TaskShowReply>(TaskShowRequest{"web"}).instances.size() == 1);
    const auto reported = harness.read<ReportedReply>(ReportedRequest{});
    REQUIRE(reported.nodes.size() == 1);
    CHECK(reported.nodes.front().instances.size() == 1);
    CHECK(harness.status().running == 1);
    CHECK(harness.status().stopping == 0);
    n1.answers = true;
    const std::size_t batches = n1.batches.size();
    harness.pass(5s);
    CHECK(n1.batches.size() == batches);
}
