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
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    FakeAgent& n2 = bench.join("n2");
    bench.pass(1s);
    n1.answers = false;
    bench.pass(3s);  // The first of these rounds only has the first poll.
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.node("n1").note == "silent for 2 polls");
    CHECK(n2.instances.empty());
    bench.pass(1s);
    CHECK(bench.node("n1").health == "lost");
    CHECK(bench.happened("node.lost", "n1"));
    CHECK(n2.instances.size() == 1);
}

// Goal: a lost node serves again with its first valid answer, and duplicates end.
// Method: the lost node answers again while a replacement runs.
TEST_CASE("a lost node that answers is healthy again and its duplicate is stopped",
          "[coordinator][nodes][GO-D9][S7]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    bench.join("n2");
    n1.answers = false;
    bench.pass(4s);
    REQUIRE(bench.running("web") == 2);
    n1.answers = true;
    bench.pass(4s);
    CHECK(bench.happened("node.returned", "n1"));
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.running("web") == 1);
    CHECK(bench.status().converged);
}

// Goal: a loss is durable before it has an effect.
// Method: a store that does not confirm the loss.
TEST_CASE("nothing is started elsewhere before the loss is durable", "[coordinator][durable]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    FakeAgent& n2 = bench.join("n2");
    bench.pass(1s);
    bench.store_works = false;
    n1.answers = false;
    bench.pass(5s);
    CHECK(n2.instances.empty());
    const auto* row = std::get_if<StoredNode>(&bench.persisted.back().writes.front());
    REQUIRE(row != nullptr);
    CHECK(row->lost);
    bench.confirm();
    CHECK(n2.instances.size() == 1);
}

// Goal: a hello is not an answer. Method: an agent that has reported only repeats its hello; in a
// new leadership, one that the store knows does nothing else.
TEST_CASE("an agent that only sends hellos is silent, and does not delay recovery",
          "[coordinator][L3][S11]") {
    const auto repeat_hello = [](CoordinatorHarness& bench, FakeAgent& fake, int times) {
        for (int time = 0; time < times; ++time) {
            bench.pass(400ms);
            bench.send_hello(fake);
        }
    };
    CoordinatorHarness bench;
    bench.join("n2");
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    repeat_hello(bench, n1, 20);
    CHECK(bench.happened("node.lost", "n1"));

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
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    bench.pass(500ms);
    for (int pause = 0; pause < 5; ++pause) {
        bench.now += 2'600ms;
        bench.give(Wake{});
    }
    CHECK(bench.node("n1").note.empty());
    CHECK(bench.node("n1").health == "healthy");
}

// Goal: a long pause of the coordinator costs no node, though agents closed their connections.
// Method: pause for 10 s. One connection then closes and returns after 5 s, one closes for good,
// and one stays open but silent. A late coordinator may be late again, so no node is lost soon.
TEST_CASE("after a pause of the coordinator connections have as long to return",
          "[coordinator][S10]") {
    CoordinatorHarness bench;
    const Session returns = bench.join("returns").session;
    const Session gone = bench.join("gone").session;
    bench.join("silent");
    bench.pass(2s);
    for (const auto* name : {"returns", "gone", "silent"}) {
        bench[name].answers = false;
    }
    bench.now += 10s;
    bench.give(Wake{});
    bench.give(SessionClosed{returns});
    bench.give(SessionClosed{gone});
    bench.pass(5s);
    CHECK(bench.node("returns").health == "healthy");
    CHECK(bench.node("gone").health == "healthy");
    CHECK(bench.node("silent").health == "healthy");

    bench["returns"].answers = true;
    bench["returns"].session = Session{77};
    bench.send_hello(bench["returns"]);
    bench.pass(6s);
    CHECK(bench.node("returns").health == "healthy");
    CHECK_FALSE(bench.happened("node.lost", "returns"));
    CHECK(bench.node("gone").health == "lost");
    CHECK(bench.node("silent").health == "lost");
}

// Goal: losses are decided at a limited rate.
// Method: 30 of 60 nodes fall silent at once; the burst is 10, then one a round.
TEST_CASE("mass silence is decided at the specified rate", "[coordinator][S9]") {
    CoordinatorHarness bench;
    for (int i = 0; i < 60; ++i) {
        bench.join("n" + std::to_string(100 + i));
    }
    bench.want("web", 60);
    bench.pass(2s);
    for (int i = 0; i < 30; ++i) {
        bench["n" + std::to_string(100 + i)].answers = false;
    }
    bench.pass(4s);
    CHECK(bench.status().lost == 10);
    bench.pass(1s);
    CHECK(bench.status().lost == 11);
    bench.pass(5s);
    CHECK(bench.status().lost == 16);
}

// Goal: invented names do not delay the loss of a real node.
// Method: 30 empty nodes, first in every order, fall silent in the same round as one with work.
TEST_CASE("nodes without work use up nothing of the rate of losses", "[coordinator][S9]") {
    CoordinatorHarness bench;
    FakeAgent& real = bench.join("z");
    bench.want("web", 1);
    bench.pass(2s);
    REQUIRE(real.instances.size() == 1);
    for (int i = 0; i < 30; ++i) {
        bench.join("a" + std::to_string(100 + i)).answers = false;
    }
    real.answers = false;
    bench.pass(4s);
    CHECK(bench.status().lost == 31);
}

// Goal: the node that fell silent first is decided first.
// Method: more nodes than the burst are silent when one with a lower index falls silent too.
TEST_CASE("losses are decided in the order of silence", "[coordinator][S9]") {
    CoordinatorHarness bench;
    for (int i = 0; i < 40; ++i) {
        bench.join("n" + std::to_string(100 + i));
    }
    bench.want("web", 40);
    bench.pass(2s);
    for (int i = 20; i < 31; ++i) {
        bench["n" + std::to_string(100 + i)].answers = false;
    }
    bench.pass(1s);
    bench["n100"].answers = false;
    bench.pass(4s);
    CHECK(bench.node("n130").health == "lost");
    CHECK(bench.node("n100").health == "healthy");
    bench.pass(1s);
    CHECK(bench.node("n100").health == "lost");
}

// Goal: a table full of lost names gets room again by itself.
// Method: half of the nodes of a full store are lost, long before they would be forgotten.
TEST_CASE("in a full table lost nodes are forgotten after a round", "[coordinator][nodes]") {
    std::vector<StoredNode> rows;
    for (std::size_t i = 0; i < limits::joiners; ++i) {
        rows.push_back(CoordinatorHarness::stored("n" + std::to_string(i)));
        rows.back().lost = i % 2 == 0;
    }
    CoordinatorHarness bench{CoordinatorHarness::store_with(std::move(rows))};
    bench.pass(1s);
    CHECK(bench.happened("node.forgotten", "n0"));
    CHECK(bench.status().nodes == limits::joiners / 2);
    CHECK(bench.join("late").welcomes.size() == 1);
}

// Goal: invented names cannot fill the table for listed nodes.
// Method: a store full of unlisted names; one more sends a hello, then it is listed.
TEST_CASE("a listed name joins where unlisted ones find no room",
          "[coordinator][nodes][inventory]") {
    std::vector<StoredNode> rows;
    for (std::size_t i = 0; i < limits::joiners; ++i) {
        rows.push_back(CoordinatorHarness::stored("n" + std::to_string(i)));
    }
    CoordinatorHarness bench{CoordinatorHarness::store_with(std::move(rows))};
    const FakeAgent& late = bench.join("late");
    CHECK(late.welcomes.empty());
    REQUIRE(late.refusals.size() == 1);
    CHECK(late.refusals.back().code == Errc::busy);
    CHECK(late.refusals.back().detail.find("muster node add late") != std::string::npos);
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "late"}}})->result);
    bench.send_hello(bench["late"]);
    CHECK(late.welcomes.size() == 1);
    CHECK(bench.status().nodes == limits::joiners + 1);
}

// Goal: an announced departure is tolerated 30 s longer than silence.
// Method: an agent leaves and stays away; its loss and the event come after that.
TEST_CASE("a node that left is shown as lost, and given up after its grace",
          "[coordinator][nodes]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    bench.give(FromAgent{n1.session, Departure{Incarnation{1}}});
    bench.pass(32900ms);
    CHECK(bench.node("n1").health == "lost");
    CHECK(bench.node("n1").note == "left");
    CHECK(bench.status().serving == 0);
    CHECK(bench.status().lost == 1);
    CHECK(bench.status().alarms.empty());
    CHECK_FALSE(bench.happened("node.lost", "n1"));
    bench.pass(100ms);
    CHECK(bench.node("n1").health == "lost");
    CHECK(bench.happened("node.lost", "n1"));
    CHECK(bench.status().alarms == std::vector<std::string>{"left and did not return: n1"});

    n1.answers = true;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    bench.send_hello(n1);
    bench.pass(1s);
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.status().serving == 1);
}

// Goal: a lost name is not kept for ever, unless it has placements.
// Method: an empty and a busy node are lost for longer than `max_lost`.
TEST_CASE("a lost node without placements is forgotten after max_lost",
          "[coordinator][nodes][SC-01]") {
    CoordinatorHarness bench{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    FakeAgent& n2 = bench.join("n2");
    bench.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    n1.answers = false;
    n1.obeys = false;
    n2.answers = false;
    n2.obeys = false;
    bench.pass(62s);
    CHECK(bench.status().nodes == 2);
    bench.pass(5s);
    CHECK(bench.status().nodes == 1);
    CHECK(bench.happened("node.forgotten", "n2"));
    n2.answers = true;
    bench.send_hello(n2);
    CHECK(bench.status().nodes == 2);
    CHECK(bench.status().serving == 1);
}

// Goal: a deadline belongs to the record, not to its slot in the table.
// Method: a node is forgotten; the next one takes its slot, leaves, is lost and forgotten, each at
// its own deadlines.
TEST_CASE("a forgotten node is not polled and has no deadlines any more",
          "[coordinator][nodes][SC-D7]") {
    CoordinatorHarness bench{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    bench.pass(64s);
    REQUIRE(bench.happened("node.forgotten", "n1"));
    const std::size_t polls = n1.polls.size();
    bench.pass(30s);
    FakeAgent& n2 = bench.join("n2");
    bench.give(FromAgent{n2.session, Departure{Incarnation{1}}});
    bench.pass(32s);
    CHECK_FALSE(bench.happened("node.lost", "n2"));
    bench.pass(1s);
    CHECK(bench.happened("node.lost", "n2"));
    bench.pass(59s);
    CHECK(bench.status().nodes == 1);
    bench.pass(1s);
    CHECK(bench.status().nodes == 0);
    CHECK(n1.polls.size() == polls);
}

// Goal: pending events of a node do not apply to the next one in its slot.
// Method: a node is removed during its suspension; another one joins before that would end.
TEST_CASE("the suspension of a removed node is not ended for another node",
          "[coordinator][nodes][SC-D7]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.host.spawn_failing = true;
    bench.pass(5s);
    REQUIRE(bench.node("n1").health == "flaky");
    REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n1", .force = true})->result);
    REQUIRE(bench.status().nodes == 0);
    const std::size_t polls = n1.polls.size();
    bench.join("n2");
    bench.pass(1h);
    CHECK(bench.node("n2").health == "healthy");
    CHECK_FALSE(bench.happened("node.served", "n2"));
    CHECK_FALSE(bench.happened("node.forgiven", "n2"));
    CHECK(n1.polls.size() == polls);
}

// Goal: a lost record is kept beyond its time only as long as there is a reason.
// Method: a busy node is lost for longer than `max_lost`; it returns empty, and falls silent again.
TEST_CASE("a lost node with placements is kept for as long as it has them",
          "[coordinator][nodes]") {
    CoordinatorHarness bench{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    n1.answers = false;
    bench.pass(10min);
    CHECK(bench.status().nodes == 1);
    n1.instances.clear();
    n1.revision = Revision{99};
    n1.obeys = false;
    n1.answers = true;
    bench.pass(2s);
    REQUIRE(bench.node("n1").health == "healthy");
    bench.ask(TaskRemoveRequest{"web"}, bench.fresh_id());
    n1.answers = false;
    bench.pass(2min);
    CHECK(bench.happened("node.forgotten", "n1"));
}

// Goal: a node that has just reconnected is polled often enough before it is called lost (S11).
// Method: it was away for long within the grace; it sends a hello as the grace ends, and answers
// late.
TEST_CASE("a node on a new route is not lost before it was polled there", "[coordinator][S11]") {
    CoordinatorHarness bench{CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")})};
    bench.join("n2");
    bench.pass(17500ms);
    FakeAgent& n1 = bench.add("n1");
    n1.answers = false;
    bench.send_hello(n1);
    bench.pass(3s);
    CHECK(bench.status().lost == 0);
    bench.pass(2s);
    CHECK(bench.status().lost == 1);
}

// Goal: repeated hellos do not replace an answer.
// Method: a new life every two rounds, none of which answers.
TEST_CASE("an agent that always reconnects and never answers is lost", "[coordinator][nodes]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    for (std::uint64_t life = 2; life < 20; ++life) {
        n1.life = LifeId{life, life};
        n1.incarnation = Incarnation{life};
        n1.session = Session{1'000 + life};
        bench.send_hello(n1);
        bench.pass(2s);
    }
    CHECK(bench.node("n1").health == "lost");
}

// Goal: a node that returns after its departure has the usual time to answer (S11).
// Method: it stays away past its grace, then sends a hello, and its first answers are lost.
TEST_CASE("a node that returns after its departure is not lost at once", "[coordinator][S11]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    bench.give(FromAgent{n1.session, Departure{Incarnation{1}}});
    bench.pass(32500ms);
    n1.answers = false;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    n1.session = Session{910};
    bench.send_hello(n1);
    bench.pass(2s);
    CHECK(bench.node("n1").health == "unready");
    n1.answers = true;
    bench.pass(1s);
    CHECK(bench.status().serving == 1);
    CHECK(bench.status().lost == 0);
}

// Goal: a node that left no instances runs none, even if its last report was lost. Otherwise
// another copy would be stopped as a duplicate.
// Method: a node leaves whose last report still had the instance; no wait for its return.
TEST_CASE("an instance that a leaving node did not leave running is placed elsewhere at once",
          "[coordinator][nodes]") {
    for (const std::uint32_t left : {0U, 1U}) {
        CAPTURE(left);
        CoordinatorHarness bench;
        bench.join("n1");
        bench.join("n2");
        bench.pass(2s);
        bench.want("web", 1);
        bench.pass(2s);
        REQUIRE(bench.running("web") == 1);
        const bool is_first = !bench.fakes.at("n1").instances.empty();
        FakeAgent& home = bench.fakes.at(is_first ? "n1" : "n2");
        FakeAgent& other = bench.fakes.at(is_first ? "n2" : "n1");
        bench.give(FromAgent{home.session, Departure{home.incarnation, left}});
        bench.pass(2s);
        CHECK(other.instances.size() == (left == 0 ? 1 : 0));
    }
}
