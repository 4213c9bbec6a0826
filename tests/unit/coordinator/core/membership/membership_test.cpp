#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: one missed poll is a miss, `lost_after` in a row are a loss, and then instances move.
// Method: an agent stops answering; another one can take over.
TEST_CASE("a node that misses three polls in a row is lost and its work moves",
          "[coordinator][nodes][GO-19][GO-D9]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1s);
    n1.answers = false;
    harness.pass(3s);  // The first of these rounds only has the first poll.
    CHECK(harness.node("n1").health == "silent");
    CHECK(harness.node("n1").note == "silent for 2 polls");
    CHECK(n2.instances.empty());
    harness.pass(1s);
    CHECK(harness.node("n1").health == "lost");
    CHECK(harness.happened("node.lost", "n1"));
    CHECK(n2.instances.size() == 1);
}

// Goal: a lost node serves again with its first valid answer, and duplicates end.
// Method: the lost node answers again while a replacement runs.
TEST_CASE("a lost node that answers is healthy again and its duplicate is stopped",
          "[coordinator][nodes][GO-D9][S7]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    harness.join("n2");
    n1.answers = false;
    harness.pass(4s);
    REQUIRE(harness.running("web") == 2);
    n1.answers = true;
    harness.pass(4s);
    CHECK(harness.happened("node.returned", "n1"));
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.running("web") == 1);
    CHECK(harness.status().converged);
}

// Goal: a loss is durable before it has an effect.
// Method: a store that does not confirm the loss.
TEST_CASE("nothing is started elsewhere before the loss is durable", "[coordinator][durable]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    FakeAgent& n2 = harness.join("n2");
    harness.pass(1s);
    harness.store_works = false;
    n1.answers = false;
    harness.pass(5s);
    CHECK(n2.instances.empty());
    const auto* row = std::get_if<StoredNode>(&harness.persisted.back().writes.front());
    REQUIRE(row != nullptr);
    CHECK(row->lost);
    harness.confirm();
    CHECK(n2.instances.size() == 1);
}

// Goal: a hello is not an answer. Method: an agent that has reported only repeats its hello; in a
// new leadership, one that the store knows does nothing else.
TEST_CASE("an agent that only sends hellos is silent, and does not delay recovery",
          "[coordinator][L3][S11]") {
    const auto repeat_hello = [](CoordinatorHarness& harness, FakeAgent& fake, int times) {
        for (int time = 0; time < times; ++time) {
            harness.pass(400ms);
            harness.send_hello(fake);
        }
    };
    CoordinatorHarness harness;
    harness.join("n2");
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.answers = false;
    repeat_hello(harness, n1, 20);
    CHECK(harness.happened("node.lost", "n1"));

    CoordinatorHarness next{CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")})};
    next.join("n2");
    FakeAgent& hollow = next.add("n1");
    hollow.answers = false;
    next.send_hello(hollow);
    repeat_hello(next, hollow, 80);
    CHECK(next.happened("recovery.ended", ""));
}

// Goal: a paused coordinator suspects no node.
// Method: no wake for a round and a half, and no answer.
TEST_CASE("a round in which the coordinator's loop was late counts no miss", "[coordinator][S10]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.answers = false;
    harness.pass(500ms);
    for (int pause = 0; pause < 5; ++pause) {
        harness.now += 2'600ms;
        harness.give(Wake{});
    }
    CHECK(harness.node("n1").note.empty());
    CHECK(harness.node("n1").health == "healthy");
}

// Goal: a long pause of the coordinator costs no node, though agents closed their connections.
// Method: pause for 10 s. One connection then closes and returns after 5 s, one closes for good,
// and one stays open but silent. A late coordinator may be late again, so no node is lost soon.
TEST_CASE("after a pause of the coordinator connections have as long to return",
          "[coordinator][S10]") {
    CoordinatorHarness harness;
    const Session returns = harness.join("returns").session;
    const Session gone = harness.join("gone").session;
    harness.join("silent");
    harness.pass(2s);
    for (const auto* name : {"returns", "gone", "silent"}) {
        harness[name].answers = false;
    }
    harness.now += 10s;
    harness.give(Wake{});
    harness.give(SessionClosed{returns});
    harness.give(SessionClosed{gone});
    harness.pass(5s);
    CHECK(harness.node("returns").health == "healthy");
    CHECK(harness.node("gone").health == "healthy");
    CHECK(harness.node("silent").health == "healthy");

    harness["returns"].answers = true;
    harness["returns"].session = Session{77};
    harness.send_hello(harness["returns"]);
    harness.pass(6s);
    CHECK(harness.node("returns").health == "healthy");
    CHECK_FALSE(harness.happened("node.lost", "returns"));
    CHECK(harness.node("gone").health == "lost");
    CHECK(harness.node("silent").health == "lost");
}

// Goal: losses are decided at a limited rate.
// Method: 30 of 60 nodes fall silent at once; the burst is 10, then one a round.
TEST_CASE("mass silence is decided at the specified rate", "[coordinator][S9]") {
    CoordinatorHarness harness;
    for (int i = 0; i < 60; ++i) {
        harness.join("n" + std::to_string(100 + i));
    }
    harness.want("web", 60);
    harness.pass(2s);
    for (int i = 0; i < 30; ++i) {
        harness["n" + std::to_string(100 + i)].answers = false;
    }
    harness.pass(4s);
    CHECK(harness.status().lost == 10);
    harness.pass(1s);
    CHECK(harness.status().lost == 11);
    harness.pass(5s);
    CHECK(harness.status().lost == 16);
}

// Goal: invented names do not delay the loss of a real node.
// Method: 30 empty nodes, first in every order, fall silent in the same round as one with work.
TEST_CASE("nodes without work use up nothing of the rate of losses", "[coordinator][S9]") {
    CoordinatorHarness harness;
    FakeAgent& real = harness.join("z");
    harness.want("web", 1);
    harness.pass(2s);
    REQUIRE(real.instances.size() == 1);
    for (int i = 0; i < 30; ++i) {
        harness.join("a" + std::to_string(100 + i)).answers = false;
    }
    real.answers = false;
    harness.pass(4s);
    CHECK(harness.status().lost == 31);
}

// Goal: the node that fell silent first is decided first.
// Method: more nodes than the burst are silent when one with a lower index falls silent too.
TEST_CASE("losses are decided in the order of silence", "[coordinator][S9]") {
    CoordinatorHarness harness;
    for (int i = 0; i < 40; ++i) {
        harness.join("n" + std::to_string(100 + i));
    }
    harness.want("web", 40);
    harness.pass(2s);
    for (int i = 20; i < 31; ++i) {
        harness["n" + std::to_string(100 + i)].answers = false;
    }
    harness.pass(1s);
    harness["n100"].answers = false;
    harness.pass(4s);
    CHECK(harness.node("n130").health == "lost");
    CHECK(harness.node("n100").health == "silent");
    harness.pass(1s);
    CHECK(harness.node("n100").health == "lost");
}

// Goal: a table full of lost names gets room again by itself.
// Method: half of the nodes of a full store are lost, long before they would be forgotten.
TEST_CASE("in a full table lost nodes are forgotten after a round", "[coordinator][nodes]") {
    std::vector<StoredNode> rows;
    for (std::size_t i = 0; i < limits::joiners; ++i) {
        rows.push_back(CoordinatorHarness::stored("n" + std::to_string(i)));
        rows.back().lost = i % 2 == 0;
    }
    CoordinatorHarness harness{CoordinatorHarness::store_with(std::move(rows))};
    harness.pass(1s);
    CHECK(harness.happened("node.forgotten", "n0"));
    CHECK(harness.status().nodes == limits::joiners / 2);
    CHECK(harness.join("late").welcomes.size() == 1);
}

// Goal: invented names cannot fill the table for listed nodes.
// Method: a store full of unlisted names; one more sends a hello, then it is listed.
TEST_CASE("a listed name joins where unlisted ones find no room",
          "[coordinator][nodes][inventory]") {
    std::vector<StoredNode> rows;
    for (std::size_t i = 0; i < limits::joiners; ++i) {
        rows.push_back(CoordinatorHarness::stored("n" + std::to_string(i)));
    }
    CoordinatorHarness harness{CoordinatorHarness::store_with(std::move(rows))};
    const FakeAgent& late = harness.join("late");
    CHECK(late.welcomes.empty());
    REQUIRE(late.refusals.size() == 1);
    CHECK(late.refusals.back().code == Errc::busy);
    CHECK(late.refusals.back().detail.find("muster node add late") != std::string::npos);
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "late"}}})->result);
    harness.send_hello(harness["late"]);
    CHECK(late.welcomes.size() == 1);
    CHECK(harness.status().nodes == limits::joiners + 1);
}

// Goal: an announced departure is tolerated 30 s longer than silence.
// Method: an agent leaves and stays away; its loss and the event come after that.
TEST_CASE("a node that left is shown as lost, and given up after its grace",
          "[coordinator][nodes]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.answers = false;
    harness.give(FromAgent{n1.session, Departure{Incarnation{1}}});
    harness.pass(32900ms);
    CHECK(harness.node("n1").health == "lost");
    CHECK(harness.node("n1").note == "left");
    CHECK(harness.status().serving == 0);
    CHECK(harness.status().lost == 1);
    CHECK(harness.status().alarms.empty());
    CHECK_FALSE(harness.happened("node.lost", "n1"));
    harness.pass(100ms);
    CHECK(harness.node("n1").health == "lost");
    CHECK(harness.happened("node.lost", "n1"));
    CHECK(harness.status().alarms == std::vector<std::string>{"left and did not return: n1"});

    n1.answers = true;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    harness.send_hello(n1);
    harness.pass(1s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().serving == 1);
}

// Goal: a lost name is not kept for ever, unless it has placements.
// Method: an empty and a busy node are lost for longer than `max_lost`.
TEST_CASE("a lost node without placements is forgotten after max_lost",
          "[coordinator][nodes][SC-01]") {
    CoordinatorHarness harness{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    FakeAgent& n2 = harness.join("n2");
    harness.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    n1.answers = false;
    n1.obeys = false;
    n2.answers = false;
    n2.obeys = false;
    harness.pass(62s);
    CHECK(harness.status().nodes == 2);
    harness.pass(5s);
    CHECK(harness.status().nodes == 1);
    CHECK(harness.happened("node.forgotten", "n2"));
    n2.answers = true;
    harness.send_hello(n2);
    CHECK(harness.status().nodes == 2);
    CHECK(harness.status().serving == 1);
}

// Goal: a deadline belongs to the record, not to its slot in the table.
// Method: a node is forgotten; the next one takes its slot, leaves, is lost and forgotten, each at
// its own deadlines.
TEST_CASE("a forgotten node is not polled and has no deadlines any more",
          "[coordinator][nodes][SC-D7]") {
    CoordinatorHarness harness{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.answers = false;
    harness.pass(64s);
    REQUIRE(harness.happened("node.forgotten", "n1"));
    const std::size_t polls = n1.polls.size();
    harness.pass(30s);
    FakeAgent& n2 = harness.join("n2");
    harness.give(FromAgent{n2.session, Departure{Incarnation{1}}});
    harness.pass(32s);
    CHECK_FALSE(harness.happened("node.lost", "n2"));
    harness.pass(1s);
    CHECK(harness.happened("node.lost", "n2"));
    harness.pass(59s);
    CHECK(harness.status().nodes == 1);
    harness.pass(1s);
    CHECK(harness.status().nodes == 0);
    CHECK(n1.polls.size() == polls);
}

// Goal: pending events of a node do not apply to the next one in its slot.
// Method: a node is removed during its suspension; another one joins before that would end.
TEST_CASE("the suspension of a removed node is not ended for another node",
          "[coordinator][nodes][SC-D7]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.host.spawn_failing = true;
    harness.pass(5s);
    REQUIRE(harness.node("n1").health == "flaky");
    REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n1", .force = true})->result);
    REQUIRE(harness.status().nodes == 0);
    const std::size_t polls = n1.polls.size();
    harness.join("n2");
    harness.pass(1h);
    CHECK(harness.node("n2").health == "healthy");
    CHECK_FALSE(harness.happened("node.served", "n2"));
    CHECK_FALSE(harness.happened("node.forgiven", "n2"));
    CHECK(n1.polls.size() == polls);
}

// Goal: a lost record is kept beyond its time only as long as there is a reason.
// Method: a busy node is lost for longer than `max_lost`; it returns empty, and falls silent again.
TEST_CASE("a lost node with placements is kept for as long as it has them",
          "[coordinator][nodes]") {
    CoordinatorHarness harness{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    n1.answers = false;
    harness.pass(10min);
    CHECK(harness.status().nodes == 1);
    n1.instances.clear();
    n1.revision = Revision{99};
    n1.obeys = false;
    n1.answers = true;
    harness.pass(2s);
    REQUIRE(harness.node("n1").health == "healthy");
    harness.ask(TaskRemoveRequest{"web"}, harness.fresh_id());
    n1.answers = false;
    harness.pass(2min);
    CHECK(harness.happened("node.forgotten", "n1"));
}

// Goal: a node that has just reconnected is polled often enough before it is called lost (S11).
// Method: it was away for long within the grace; it sends a hello as the grace ends, and answers
// late.
TEST_CASE("a node on a new route is not lost before it was polled there", "[coordinator][S11]") {
    CoordinatorHarness harness{CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")})};
    harness.join("n2");
    harness.pass(17500ms);
    FakeAgent& n1 = harness.add("n1");
    n1.answers = false;
    harness.send_hello(n1);
    harness.pass(3s);
    CHECK(harness.status().lost == 0);
    harness.pass(2s);
    CHECK(harness.status().lost == 1);
}

// Goal: repeated hellos do not replace an answer.
// Method: a new life every two rounds, none of which answers.
TEST_CASE("an agent that always reconnects and never answers is lost", "[coordinator][nodes]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    n1.answers = false;
    for (std::uint64_t life = 2; life < 20; ++life) {
        n1.life = LifeId{life, life};
        n1.incarnation = Incarnation{life};
        n1.session = Session{1'000 + life};
        harness.send_hello(n1);
        harness.pass(2s);
    }
    CHECK(harness.node("n1").health == "lost");
}

// Goal: a node that returns after its departure has the usual time to answer (S11).
// Method: it stays away past its grace, then sends a hello, and its first answers are lost.
TEST_CASE("a node that returns after its departure is not lost at once", "[coordinator][S11]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.pass(2s);
    harness.give(FromAgent{n1.session, Departure{Incarnation{1}}});
    harness.pass(32500ms);
    n1.answers = false;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    n1.session = Session{910};
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK(harness.node("n1").health == "silent");
    n1.answers = true;
    harness.pass(1s);
    CHECK(harness.status().serving == 1);
    CHECK(harness.status().lost == 0);
}

// Goal: a node that left no instances runs none, even if its last report was lost. Otherwise
// another copy would be stopped as a duplicate.
// Method: a node leaves whose last report still had the instance; no wait for its return.
TEST_CASE("an instance that a leaving node did not leave running is placed elsewhere at once",
          "[coordinator][nodes]") {
    for (const std::uint32_t left : {0U, 1U}) {
        CAPTURE(left);
        CoordinatorHarness harness;
        harness.join("n1");
        harness.join("n2");
        harness.pass(2s);
        harness.want("web", 1);
        harness.pass(2s);
        REQUIRE(harness.running("web") == 1);
        const bool is_first = !harness.fakes.at("n1").instances.empty();
        FakeAgent& home = harness.fakes.at(is_first ? "n1" : "n2");
        FakeAgent& other = harness.fakes.at(is_first ? "n2" : "n1");
        harness.give(FromAgent{home.session, Departure{home.incarnation, left}});
        harness.pass(2s);
        CHECK(other.instances.size() == (left == 0 ? 1 : 0));
    }
}
