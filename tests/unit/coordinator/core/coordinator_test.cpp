#include "coordinator/core/coordinator.hpp"

#include <algorithm>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: the whole path works: hello, poll, report, plan, batch, report.
// Method: two agents join, a task is applied; check the batches.
TEST_CASE("a wanted task runs on the nodes that joined", "[coordinator][GO-01]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1s);
    const auto reply = harness.want("web", 2);

    REQUIRE(reply);
    REQUIRE(reply->result);
    CHECK(harness.running("web") == 2);
    REQUIRE(n1.batches.size() == 1);
    REQUIRE(n2.batches.size() == 1);
    const Batch& batch = n1.batches.front();
    CHECK(batch.cluster == CoordinatorHarness::cluster);
    CHECK(batch.epoch == Epoch{3});
    CHECK(batch.leader == CoordinatorHarness::leader);
    CHECK(batch.incarnation == Incarnation{1});
    CHECK(batch.sequence == Sequence{1});
    CHECK(batch.counter == Generation{11});
    CHECK(batch.specs.size() == 1);
    CHECK(batch.starts.front().generation == Generation{11});
    harness.pass(1s);
    const StatusReply status = harness.status();
    CHECK(status.converged);
    CHECK(status.running == 2);
    CHECK(status.serving == 2);
    CHECK(status.moving == 0);
    CHECK(harness.happened("task.added", "web"));
    CHECK(harness.happened("task.converged", "web"));
}

// Goal: a change waits for the store, not for the next round.
// Method: apply in the middle of a round, with a store that has not confirmed yet.
TEST_CASE("a change has no effect before it is durable, and then takes effect at once",
          "[coordinator][durable]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1500ms);
    harness.store_works = false;
    const Ticket ticket = harness.request(
        ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}}, harness.fresh_id());
    CHECK_FALSE(harness.reply_to(ticket));
    CHECK(harness.status().tasks == 0);
    CHECK(n1.batches.empty());

    harness.confirm();
    REQUIRE(harness.reply_to(ticket));
    CHECK(harness.reply_to(ticket)->result);
    CHECK(n1.batches.size() == 1);
}

// Goal: in steady state each node costs one small answer and nothing else.
// Method: let rounds pass after convergence, and check what was sent.
TEST_CASE("when nothing changes only polls are sent", "[coordinator][SP-7]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    const std::size_t batches = n1.batches.size();
    const std::size_t polls = n1.polls.size();
    const std::size_t writes = harness.persisted.size();

    harness.pass(10s);
    CHECK(n1.batches.size() == batches);
    CHECK(n1.polls.size() == polls + 10);
    CHECK(harness.persisted.size() == writes);
    CHECK(n1.polls.back().seen == n1.revision);
    CHECK(n1.polls.back().issued == Sequence{1});
}

// Goal: a spec is sent once for each node and generation.
// Method: scale up within a node, then change the spec.
TEST_CASE("a spec is sent once to a node, and again only when it changes or is missing",
          "[coordinator][commands]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    WantedTask task = CoordinatorHarness::wanted("web", 1);
    task.spec.max_per_node = 4;
    harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id());
    harness.ask(TaskScaleRequest{.pattern = "web", .instances = 2}, harness.fresh_id());
    REQUIRE(n1.batches.size() == 2);
    CHECK(n1.batches[0].specs.size() == 1);
    CHECK(n1.batches[1].specs.empty());

    n1.obeys = false;
    harness.ask(TaskScaleRequest{.pattern = "web", .instances = 3}, harness.fresh_id());
    const Batch refused = n1.batches.back();
    Ack ack{refused.epoch, Incarnation{1}, refused.sequence, {}};
    ack.refusals.push_back({refused.starts.front().id, refused.starts.front().generation,
                            Errc::spec_unknown, "this spec is unknown"});
    n1.obeys = true;
    harness.give(FromAgent{n1.session, ack});
    CHECK(n1.batches.back().specs.size() == 1);
    CHECK(harness.running("web") == 3);
}

// Goal: a task with a field that some agents do not support runs on another one, and does not count
// against them. Method: the first of two nodes refuses each start because of such a field.
TEST_CASE("a start whose spec an agent does not support is tried on another node",
          "[coordinator][commands]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.obeys = false;
    harness.want("web", 1);
    FakeAgent& n2 = harness.join("n2");
    for (int refusal = 0; refusal < 20 && harness.running("web") == 0; ++refusal) {
        const Batch batch = n1.batches.back();
        n1.obeyed = batch.sequence;
        Ack ack{batch.epoch, Incarnation{1}, batch.sequence, {}};
        ack.refusals.push_back({batch.starts.front().id, batch.starts.front().generation,
                                Errc::spec_unsupported, "the spec has the field 'seccomp'"});
        harness.give(FromAgent{n1.session, ack});
        harness.pass(1s);
    }
    CHECK(n2.instances.size() == 1);
    const auto is_reported = [](const Event& event) {
        return event.topic == "instance.refused" &&
               event.detail.find("'seccomp'") != std::string::npos;
    };
    CHECK(std::any_of(harness.events.begin(), harness.events.end(), is_reported));
    const auto shown = harness.read<NodeShowReply>(NodeShowRequest{.name = "n1"});
    CHECK(shown.flap_score.score == 0);
}

// Goal: a host whose policy forbids a task is named with its reason, and is not asked in each
// round, for a missing instance and for a better balance alike. Method: n1 refuses each start of
// web for 30 minutes; n2 joins and runs it. By then n1 is idle, so a balance would move instances
// there.
TEST_CASE("a node that refuses a task for ever is seldom asked", "[coordinator][commands]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.obeys = false;
    const std::string reason = "its policy does not allow user root";
    std::size_t starts = 0;
    const auto refuse_for = [&](Duration time) {
        starts = 0;
        for (const Instant end = harness.now + time; harness.now < end; harness.pass(1s)) {
            const std::vector<Batch> batches = std::exchange(n1.batches, {});
            for (const Batch& batch : batches) {
                n1.obeyed = batch.sequence;
                Ack ack{batch.epoch, Incarnation{1}, batch.sequence, {}};
                for (const Start& start : batch.starts) {
                    ack.refusals.push_back(
                        {start.id, start.generation, Errc::spec_unsupported, reason});
                }
                starts += batch.starts.size();
                harness.give(FromAgent{n1.session, ack});
            }
        }
        return starts;
    };
    auto task = CoordinatorHarness::wanted("web", 4);
    task.spec.max_per_node = 4;
    harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id());
    CHECK(refuse_for(30min) <= 4 * 14);
    const auto explained = harness.read<ExplainReply>(ExplainRequest{Subject::instance, "web.0"});
    REQUIRE(explained.verdicts.size() == 1);
    CHECK(explained.verdicts[0].code == "refused");
    CHECK(explained.verdicts[0].sentence == "refuses it: " + reason);

    harness.join("n2");
    CHECK(refuse_for(30min) <= 4 * 14);
    CHECK(harness.running("web") == 4);
    CHECK(harness.node("n2").instances == 4);
    CHECK(harness.node("n1").health == "healthy");
}

// Goal: a refusal decides the order that it answers, and no later order of the same instance (S7).
// Method: a spec is missing. The order that brings it is obeyed, but the answer is lost; the
// refusal arrives again, while another node has become less loaded.
TEST_CASE("a late duplicate of a refusal does not decide the order that followed it",
          "[coordinator][commands][S7]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.obeys = false;
    harness.want("web", 1);
    const Batch refused = n1.batches.back();
    Ack ack{refused.epoch, Incarnation{1}, refused.sequence, {}};
    ack.refusals.push_back({refused.starts.front().id, refused.starts.front().generation,
                            Errc::spec_unknown, "this spec is unknown"});
    harness.give(FromAgent{n1.session, ack});
    REQUIRE(n1.batches.size() == 2);
    FakeAgent& n2 = harness.join("n2");
    harness.give(FromAgent{n1.session, ack});
    CHECK(n1.batches.size() == 2);
    CHECK(n2.batches.empty());
}

// Goal: a lost order is planned again, never resent.
// Method: an agent that ignores a batch, and answers the next poll without it.
TEST_CASE("an order that was not obeyed is planned again with a new sequence",
          "[coordinator][commands]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(1s);
    n1.obeys = false;
    harness.want("web", 1);
    REQUIRE(n1.batches.size() == 1);
    n1.obeys = true;
    harness.pass(2s);
    REQUIRE(n1.batches.size() == 2);
    CHECK(n1.batches[1].sequence == Sequence{2});
    CHECK(harness.running("web") == 1);
}

// Goal: a report of an exit without a poll is acted on at once, not at the end of the round.
// Method: a delta that an instance is gone, in the middle of a round; another node is free.
TEST_CASE("a reported exit is repaired at once", "[coordinator]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2500ms);
    REQUIRE(harness.running("web") == 1);
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1500ms);
    const InstanceId id{"web", 0};
    n1.instances.clear();
    const Report gone{ReportKind::delta,
                      Epoch{3},
                      Round{},
                      Incarnation{1},
                      n1.revision,
                      next(n1.revision),
                      n1.obeyed,
                      {},
                      {},
                      {id}};
    n1.revision = next(n1.revision);
    harness.give(FromAgent{n1.session, gone});
    CHECK(n2.instances.size() == 1);
}

// Goal: reports that do not fit the held state are not applied, but requested again.
// Method: a delta from an unknown revision.
TEST_CASE("a delta from an unknown revision is dropped and a snapshot requested",
          "[coordinator][revision]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    const Report strange{
        ReportKind::delta, Epoch{3}, Round{}, Incarnation{1}, Revision{70}, Revision{71},
        n1.obeyed,         {},       {},      {{"web", 0}}};
    harness.give(FromAgent{n1.session, strange});
    CHECK(harness.status().running == 1);
    harness.pass(1s);
    CHECK(n1.polls.back().seen == Revision{});
    harness.pass(1s);
    CHECK(n1.polls.back().seen == n1.revision);
}

// Goal: no plan is made from outdated reports.
// Method: the answer to a poll that was sent before a delta without a poll arrived. It reaches
// further back than the present revision.
TEST_CASE("an answer that crossed a delta without a poll is applied", "[coordinator][revision]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.want("api", 1);
    harness.pass(1500ms);
    n1.answers = false;
    harness.pass(1s);
    const Revision asked_from = n1.polls.back().seen;
    const Revision asked_to = next(asked_from);
    const InstanceId api{"api", 0};
    const InstanceId web{"web", 0};
    const Report delta{ReportKind::delta, Epoch{3}, Round{}, Incarnation{1}, asked_from, asked_to,
                       n1.obeyed,         {},       {},      {api}};
    const Report answer{ReportKind::delta, Epoch{3},   n1.polls.back().round,
                        Incarnation{1},    asked_from, next(asked_to),
                        n1.obeyed,         {},         {},
                        {api, web}};
    n1.obeys = false;
    harness.give(FromAgent{n1.session, delta});
    REQUIRE(harness.status().running == 1);
    harness.give(FromAgent{n1.session, answer});
    CHECK(harness.status().running == 0);
    const auto stops = std::ranges::count(harness.events, "instance.stopped", &Event::topic);
    CHECK(stops == 2);  // One for each copy.
    harness.pass(1s);
    CHECK(n1.polls.back().seen == answer.to);
}

// Goal: an agent learns who leads; its messages before a hello mean nothing.
// Method: a report from an unknown session.
TEST_CASE("a route without a hello is asked for one", "[coordinator][hello]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    harness.give(FromAgent{n1.session, Report{}});
    REQUIRE(n1.refusals.size() == 1);
    CHECK(n1.refusals.front().code == Errc::hello_required);
    harness.send_hello(n1);
    REQUIRE(n1.welcomes.size() == 1);
    CHECK(n1.welcomes.front().cluster == CoordinatorHarness::cluster);
    CHECK(n1.welcomes.front().round_ms == 1000);
    CHECK(n1.polls.size() == 1);
}

// Goal: no command goes to a node whose life is not on record.
// Method: a store that does not confirm the node's row.
TEST_CASE("a node gets its first command only when its record is durable",
          "[coordinator][durable]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    harness.store_works = false;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(3s);
    CHECK(n1.batches.empty());
    harness.store_works = true;
    harness.confirm();
    harness.pass(1s);
    CHECK(n1.batches.size() == 1);
}

// Goal: operators need not wait for the next round.
// Method: all have answered, and the next round opens at once. Then an agent that does not answer
// keeps a round open, and no plan is made from its partial answers.
TEST_CASE("round now opens the next round at once, or when the open one has closed",
          "[coordinator][GO-D13]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.pass(1s);
    const Round before = harness.status().round;
    CHECK(harness.read<RoundReply>(RoundNowRequest{}).round == next(before));
    CHECK(n1.polls.back().round == next(before));
    n1.answers = false;
    CHECK(harness.read<RoundReply>(RoundNowRequest{}).round == next(next(before)));
    CHECK(n1.polls.back().round == next(next(before)));
    harness.pass(500ms);
    CHECK(harness.read<RoundReply>(RoundNowRequest{}).round == next(next(next(before))));
    CHECK(harness.status().round == next(next(before)));
    harness.pass(500ms);
    CHECK(harness.status().round == next(next(next(before))));
    CHECK(harness.node("n1").missed > 0);
}

// Goal: frequent rounds do not hide a silent node.
// Method: `round now` at all rates, from many times a round to less than once; four nodes answer,
// one does not.
TEST_CASE("however often rounds are expedited, a silent node is lost in the usual time",
          "[coordinator][nodes]") {
    const auto pace =
        std::chrono::milliseconds{GENERATE(10, 90, 330, 500, 501, 700, 990, 1'000, 1'010, 1'700)};
    CAPTURE(pace.count());
    CoordinatorHarness harness;
    for (const char* const name : {"n1", "n2", "n3", "n4", "n5"}) {
        harness.join(name);
    }
    harness.want("web", 4);
    harness.pass(12'340ms);
    harness["n1"].answers = false;
    harness["n1"].obeys = false;
    const Instant silent_since = harness.now;
    const Duration usual = 3s;
    while (harness.now < silent_since + usual + 1s) {
        harness.ask(RoundNowRequest{});
        harness.pass(std::min<Duration>(pace, silent_since + usual + 1s - harness.now));
    }
    CHECK(harness.happened("node.lost", "n1"));
    harness.pass(2s);
    CHECK(harness.running("web") == 5);  // Including the silent node's.
}
