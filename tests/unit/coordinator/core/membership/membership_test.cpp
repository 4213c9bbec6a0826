#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

// Goal: one silent answer is a miss, `lost_after` in a row are a loss, and work moves then.
// Method: an agent stops answering; another one is there to take over.
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
    bench.pass(3s);  // The first of these rounds only brings the first poll.
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.node("n1").note == "silent for 2 polls");
    CHECK(n2.instances.empty());
    bench.pass(1s);
    CHECK(bench.node("n1").health == "lost");
    CHECK(bench.happened("node.lost", "n1"));
    CHECK(n2.instances.size() == 1);
}

// Goal: a lost node serves again with its first good answer, and doubles end.
// Method: the lost node answers again while a replacement runs.
TEST_CASE("a lost node that answers is healthy again and its double is stopped",
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

// Goal: the mark is in the store before anything follows from it.
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

// Goal: to say hello is no answer. Method: an agent that has reported only repeats its hello; in a
// new leadership, one that the store knows does nothing else.
TEST_CASE("who only says hello is silent, and holds up no recovery", "[coordinator][L3][S11]") {
    const auto repeat_hello = [](CoordinatorHarness& bench, FakeAgent& puppet, int times) {
        for (int time = 0; time < times; ++time) {
            bench.pass(400ms);
            bench.say_hello(puppet);
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
    next.say_hello(hollow);
    repeat_hello(next, hollow, 80);
    CHECK(next.happened("recovery.ended", ""));
}

// Goal: who slept suspects nobody.
// Method: no wake for a round and a half, nor any answer.
TEST_CASE("a round in which our own loop was late counts no miss", "[coordinator][S10]") {
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

// Goal: a long sleep of ours costs no node, although it cost the agents their links.
// Method: sleep for 10 s; one link is gone afterwards and comes back after 5 s, one is gone for
// good, and one stands but brings nothing. Who was late may be late again, so nobody is lost soon.
TEST_CASE("after a sleep of ours links have as long to come back", "[coordinator][S10]") {
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
    bench.say_hello(bench["returns"]);
    bench.pass(6s);
    CHECK(bench.node("returns").health == "healthy");
    CHECK_FALSE(bench.happened("node.lost", "returns"));
    CHECK(bench.node("gone").health == "lost");
    CHECK(bench.node("silent").health == "lost");
}

// Goal: losses are decided at a limited rate.
// Method: 30 of 60 nodes fall silent at once; the burst is 10, then one a round.
TEST_CASE("mass silence is decided at the stated rate", "[coordinator][S9]") {
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

// Goal: names that somebody made up do not hold up the loss of a real node.
// Method: 30 empty nodes, first in every order, fall silent in the same round as one that works.
TEST_CASE("nodes that bear no work use up nothing of the rate of losses", "[coordinator][S9]") {
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

// Goal: whoever fell silent first is decided first.
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

// Goal: a table full of dead names has room again, by itself.
// Method: a full store of which half the nodes are lost, long before they would be forgotten.
TEST_CASE("in a full table the lost are forgotten after a round", "[coordinator][nodes]") {
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

// Goal: whoever makes up names cannot fill the table for those that operators name.
// Method: a store full of names that came unasked; one more comes, then it is listed.
TEST_CASE("a listed name joins where those that come unasked find no room",
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
    bench.say_hello(bench["late"]);
    CHECK(late.welcomes.size() == 1);
    CHECK(bench.status().nodes == limits::joiners + 1);
}

// Goal: a goodbye is a planned absence, borne 30 s longer than silence.
// Method: an agent says goodbye and stays away; its loss is decided, with the event, after that.
TEST_CASE("a node that left is shown as lost, and given up after its grace",
          "[coordinator][nodes]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    bench.give(FromAgent{n1.session, Goodbye{Incarnation{1}}});
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
    bench.say_hello(n1);
    bench.pass(1s);
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.status().serving == 1);
}

// Goal: a dead name does not stay in the list for ever, but one with placements does.
// Method: an empty and a busy node are lost for longer than `max_lost`.
TEST_CASE("a lost node without placements is forgotten in time", "[coordinator][nodes][SC-01]") {
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
    bench.say_hello(n2);
    CHECK(bench.status().nodes == 2);
    CHECK(bench.status().serving == 1);
}

// Goal: a deadline belongs to the record, not to its slot in the table.
// Method: a node is forgotten; the next one takes its slot, says goodbye, is lost and forgotten,
// each by the deadlines of its own.
TEST_CASE("nothing of a forgotten node is polled or timed any more",
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
    bench.give(FromAgent{n2.session, Goodbye{Incarnation{1}}});
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

// Goal: what was to happen to a node does not happen to the next one in its place.
// Method: a node is removed while its suspension runs; another one joins before that would end.
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

// Goal: what keeps a lost record beyond its time keeps it no longer than it is there.
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

// Goal: a node that has just found us again is asked often enough before it is called lost (S11).
// Method: it was away for long within the grace; it says hello as the grace ends, and answers late.
TEST_CASE("a node on a new route is not lost before it was asked there", "[coordinator][S11]") {
    CoordinatorHarness bench{CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")})};
    bench.join("n2");
    bench.pass(17500ms);
    FakeAgent& n1 = bench.add("n1");
    n1.answers = false;
    bench.say_hello(n1);
    bench.pass(3s);
    CHECK(bench.status().lost == 0);
    bench.pass(2s);
    CHECK(bench.status().lost == 1);
}

// Goal: coming again and again is no substitute for an answer.
// Method: a new life every two rounds, none of which answers.
TEST_CASE("an agent that always comes and never answers is lost", "[coordinator][nodes]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    for (std::uint64_t life = 2; life < 20; ++life) {
        n1.life = LifeId{life, life};
        n1.incarnation = Incarnation{life};
        n1.session = Session{1'000 + life};
        bench.say_hello(n1);
        bench.pass(2s);
    }
    CHECK(bench.node("n1").health == "lost");
}

// Goal: who comes back after a goodbye has the time of anybody else to answer (S11).
// Method: it stays away past its grace, then says hello, and its first answers are lost.
TEST_CASE("a node that comes back after its goodbye is not lost at once", "[coordinator][S11]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.pass(2s);
    bench.give(FromAgent{n1.session, Goodbye{Incarnation{1}}});
    bench.pass(32500ms);
    n1.answers = false;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    n1.session = Session{910};
    bench.say_hello(n1);
    bench.pass(2s);
    CHECK(bench.node("n1").health == "unready");
    n1.answers = true;
    bench.pass(1s);
    CHECK(bench.status().serving == 1);
    CHECK(bench.status().lost == 0);
}

// Goal: who leaves nothing runs nothing, also if the report before that was lost: or another copy
// would be stopped as a duplicate of what is no more.
// Method: a node leaves whose last report still had the instance; nobody waits for its return.
TEST_CASE("what a goodbye does not leave is placed elsewhere at once", "[coordinator][nodes]") {
    for (const std::uint32_t left : {0U, 1U}) {
        CAPTURE(left);
        CoordinatorHarness bench;
        bench.join("n1");
        bench.join("n2");
        bench.pass(2s);
        bench.want("web", 1);
        bench.pass(2s);
        REQUIRE(bench.running("web") == 1);
        const bool is_first = !bench.puppets.at("n1").instances.empty();
        FakeAgent& home = bench.puppets.at(is_first ? "n1" : "n2");
        FakeAgent& other = bench.puppets.at(is_first ? "n2" : "n1");
        bench.give(FromAgent{home.session, Goodbye{home.incarnation, left}});
        bench.pass(2s);
        CHECK(other.instances.size() == (left == 0 ? 1 : 0));
    }
}
