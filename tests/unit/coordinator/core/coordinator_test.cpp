#include "coordinator/core/coordinator.hpp"

#include <algorithm>

#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: the whole path works: hello, poll, report, plan, batch, report.
// Method: two agents join, a task is applied, and the batches are looked at.
TEST_CASE("a wanted task runs on the nodes that joined", "[coordinator][GO-01]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    FakeAgent& n2 = bench.join("n2");
    bench.pass(1s);
    const auto reply = bench.want("web", 2);

    REQUIRE(reply);
    REQUIRE(reply->result);
    CHECK(bench.running("web") == 2);
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
    bench.pass(1s);
    const StatusReply status = bench.status();
    CHECK(status.converged);
    CHECK(status.running == 2);
    CHECK(status.serving == 2);
    CHECK(status.moving == 0);
    CHECK(bench.happened("task.added", "web"));
    CHECK(bench.happened("task.converged", "web"));
}

// Goal: a change waits for the store, not for the next round.
// Method: apply in the middle of a round, with a store that has not confirmed yet.
TEST_CASE("nothing of a change is seen before it is durable, and then it acts at once",
          "[coordinator][durable]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(1500ms);
    bench.store_works = false;
    const Ticket ticket = bench.request(
        ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}}, bench.fresh_id());
    CHECK_FALSE(bench.reply_to(ticket));
    CHECK(bench.status().tasks == 0);
    CHECK(n1.batches.empty());

    bench.confirm();
    REQUIRE(bench.reply_to(ticket));
    CHECK(bench.reply_to(ticket)->result);
    CHECK(n1.batches.size() == 1);
}

// Goal: steady state costs one small answer a node and nothing else.
// Method: let rounds pass after convergence, and look at what was sent.
TEST_CASE("when nothing changes only polls are sent", "[coordinator][SP-7]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    const std::size_t batches = n1.batches.size();
    const std::size_t polls = n1.polls.size();
    const std::size_t writes = bench.persisted.size();

    bench.pass(10s);
    CHECK(n1.batches.size() == batches);
    CHECK(n1.polls.size() == polls + 10);
    CHECK(bench.persisted.size() == writes);
    CHECK(n1.polls.back().seen == n1.revision);
    CHECK(n1.polls.back().issued == Sequence{1});
}

// Goal: a spec travels once per node and generation.
// Method: scale up within a node, then change the spec.
TEST_CASE("a spec is sent once to a node, and again only when it changes or is missing",
          "[coordinator][commands]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(1s);
    WantedTask task = CoordinatorHarness::wanted("web", 1);
    task.spec.max_per_node = 4;
    bench.ask(ApplyRequest{.tasks = {task}}, bench.fresh_id());
    bench.ask(TaskScaleRequest{.pattern = "web", .instances = 2}, bench.fresh_id());
    REQUIRE(n1.batches.size() == 2);
    CHECK(n1.batches[0].specs.size() == 1);
    CHECK(n1.batches[1].specs.empty());

    n1.obeys = false;
    bench.ask(TaskScaleRequest{.pattern = "web", .instances = 3}, bench.fresh_id());
    const Batch refused = n1.batches.back();
    Ack ack{refused.epoch, Incarnation{1}, refused.sequence, {}};
    ack.refusals.push_back({refused.starts.front().id, refused.starts.front().generation,
                            Errc::spec_unknown, "never heard of it"});
    n1.obeys = true;
    bench.give(FromAgent{n1.session, ack});
    CHECK(n1.batches.back().specs.size() == 1);
    CHECK(bench.running("web") == 3);
}

// Goal: a task with a field that some agents are too old for runs on another one, and costs the
// older ones nothing. Method: the first of two nodes refuses each start for such a field.
TEST_CASE("a start whose spec an agent does not support is tried on another node",
          "[coordinator][commands]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(1s);
    n1.obeys = false;
    bench.want("web", 1);
    FakeAgent& n2 = bench.join("n2");
    for (int refusal = 0; refusal < 20 && bench.running("web") == 0; ++refusal) {
        const Batch batch = n1.batches.back();
        n1.obeyed = batch.sequence;
        Ack ack{batch.epoch, Incarnation{1}, batch.sequence, {}};
        ack.refusals.push_back({batch.starts.front().id, batch.starts.front().generation,
                                Errc::spec_unsupported, "the spec has the field 'seccomp'"});
        bench.give(FromAgent{n1.session, ack});
        bench.pass(1s);
    }
    CHECK(n2.instances.size() == 1);
    const auto is_told = [](const Event& event) {
        return event.topic == "instance.refused" &&
               event.detail.find("'seccomp'") != std::string::npos;
    };
    CHECK(std::any_of(bench.events.begin(), bench.events.end(), is_told));
    const auto shown = bench.read<NodeShowReply>(NodeShowRequest{.name = "n1"});
    CHECK(shown.flap_score.score == 0);
}

// Goal: a refusal settles the order it answers, and no later one of the same instance (S7).
// Method: a spec is missing; the order that brings it is obeyed but not heard of; the refusal comes
// once more, while another node has become the less loaded one.
TEST_CASE("a late double of a refusal does not settle the order that followed it",
          "[coordinator][commands][S7]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(1s);
    n1.obeys = false;
    bench.want("web", 1);
    const Batch refused = n1.batches.back();
    Ack ack{refused.epoch, Incarnation{1}, refused.sequence, {}};
    ack.refusals.push_back({refused.starts.front().id, refused.starts.front().generation,
                            Errc::spec_unknown, "never heard of it"});
    bench.give(FromAgent{n1.session, ack});
    REQUIRE(n1.batches.size() == 2);
    FakeAgent& n2 = bench.join("n2");
    bench.give(FromAgent{n1.session, ack});
    CHECK(n1.batches.size() == 2);
    CHECK(n2.batches.empty());
}

// Goal: what is lost on the way is planned anew, never resent.
// Method: an agent that swallows a batch, and answers the next poll without it.
TEST_CASE("an order that was not obeyed is planned anew with a new sequence",
          "[coordinator][commands]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(1s);
    n1.obeys = false;
    bench.want("web", 1);
    REQUIRE(n1.batches.size() == 1);
    n1.obeys = true;
    bench.pass(2s);
    REQUIRE(n1.batches.size() == 2);
    CHECK(n1.batches[1].sequence == Sequence{2});
    CHECK(bench.running("web") == 1);
}

// Goal: an unsaid exit is acted on at once, not at the end of the round.
// Method: a delta that says an instance is gone, in the middle of a round; another node is free.
TEST_CASE("a reported exit is made good at once", "[coordinator]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2500ms);
    REQUIRE(bench.running("web") == 1);
    FakeAgent& n2 = bench.join("n2");
    bench.pass(1500ms);
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
    bench.give(FromAgent{n1.session, gone});
    CHECK(n2.instances.size() == 1);
}

// Goal: reports that do not fit what is held are not applied, but asked for anew.
// Method: a delta from a revision nobody holds.
TEST_CASE("a delta from an unknown revision is dropped and a snapshot asked for",
          "[coordinator][revision]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    const Report strange{
        ReportKind::delta, Epoch{3}, Round{}, Incarnation{1}, Revision{70}, Revision{71},
        n1.obeyed,         {},       {},      {{"web", 0}}};
    bench.give(FromAgent{n1.session, strange});
    CHECK(bench.status().running == 1);
    bench.pass(1s);
    CHECK(n1.polls.back().seen == Revision{});
    bench.pass(1s);
    CHECK(n1.polls.back().seen == n1.revision);
}

// Goal: nothing is planned from what an answer has already made untrue.
// Method: an answer to a poll that was sent before an unasked delta came: it reaches further back
// than what is held by now.
TEST_CASE("an answer that an unasked delta has crossed is applied", "[coordinator][revision]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.want("api", 1);
    bench.pass(1500ms);
    n1.answers = false;
    bench.pass(1s);
    const Revision asked_from = n1.polls.back().seen;
    const Revision told = next(asked_from);
    const InstanceId api{"api", 0};
    const InstanceId web{"web", 0};
    const Report delta{ReportKind::delta, Epoch{3}, Round{}, Incarnation{1}, asked_from, told,
                       n1.obeyed,         {},       {},      {api}};
    const Report answer{ReportKind::delta, Epoch{3},   n1.polls.back().round,
                        Incarnation{1},    asked_from, next(told),
                        n1.obeyed,         {},         {},
                        {api, web}};
    n1.obeys = false;
    bench.give(FromAgent{n1.session, delta});
    REQUIRE(bench.status().running == 1);
    bench.give(FromAgent{n1.session, answer});
    CHECK(bench.status().running == 0);
    const auto stops = std::ranges::count(bench.events, "instance.stopped", &Event::topic);
    CHECK(stops == 2);  // Each was told once.
    bench.pass(1s);
    CHECK(n1.polls.back().seen == answer.to);
}

// Goal: an agent learns who leads; what it says before hello means nothing.
// Method: a report from a session that nobody knows.
TEST_CASE("a route that has not said hello is told to", "[coordinator][hello]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.add("n1");
    bench.give(FromAgent{n1.session, Report{}});
    REQUIRE(n1.refusals.size() == 1);
    CHECK(n1.refusals.front().code == Errc::hello_required);
    bench.say_hello(n1);
    REQUIRE(n1.welcomes.size() == 1);
    CHECK(n1.welcomes.front().cluster == CoordinatorHarness::cluster);
    CHECK(n1.welcomes.front().round_ms == 1000);
    CHECK(n1.polls.size() == 1);
}

// Goal: no command goes to a node whose life is not on record.
// Method: a store that does not confirm the node's row.
TEST_CASE("a node gets its first command only when its record is durable",
          "[coordinator][durable]") {
    CoordinatorHarness bench;
    bench.want("web", 1);
    bench.store_works = false;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(3s);
    CHECK(n1.batches.empty());
    bench.store_works = true;
    bench.confirm();
    bench.pass(1s);
    CHECK(n1.batches.size() == 1);
}

// Goal: operators need not wait for the beat.
// Method: all have answered, and the next round opens at once; then an agent that does not answer
// keeps one open, and no plan is made of what was heard so far.
TEST_CASE("round now opens the next round at once, or when the open one has closed",
          "[coordinator][GO-D13]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.join("n2");
    bench.pass(1s);
    const Round before = bench.status().round;
    CHECK(bench.read<RoundReply>(RoundNowRequest{}).round == next(before));
    CHECK(n1.polls.back().round == next(before));
    n1.answers = false;
    CHECK(bench.read<RoundReply>(RoundNowRequest{}).round == next(next(before)));
    CHECK(n1.polls.back().round == next(next(before)));
    bench.pass(500ms);
    CHECK(bench.read<RoundReply>(RoundNowRequest{}).round == next(next(next(before))));
    CHECK(bench.status().round == next(next(before)));
    bench.pass(500ms);
    CHECK(bench.status().round == next(next(next(before))));
    CHECK(bench.node("n1").missed > 0);
}

// Goal: no haste hides who is silent.
// Method: `round now` at all paces, from many times a round to less than once; four nodes answer,
// one does not.
TEST_CASE("however often rounds are hurried, a silent node is lost in the usual time",
          "[coordinator][nodes]") {
    const auto pace =
        std::chrono::milliseconds{GENERATE(10, 90, 330, 500, 501, 700, 990, 1'000, 1'010, 1'700)};
    CAPTURE(pace.count());
    CoordinatorHarness bench;
    for (const char* const name : {"n1", "n2", "n3", "n4", "n5"}) {
        bench.join(name);
    }
    bench.want("web", 4);
    bench.pass(12'340ms);
    bench["n1"].answers = false;
    bench["n1"].obeys = false;
    const Instant silent_since = bench.now;
    const Duration usual = 3s;
    while (bench.now < silent_since + usual + 1s) {
        bench.ask(RoundNowRequest{});
        bench.pass(std::min<Duration>(pace, silent_since + usual + 1s - bench.now));
    }
    CHECK(bench.happened("node.lost", "n1"));
    bench.pass(2s);
    CHECK(bench.running("web") == 5);  // And that of the silent one.
}
