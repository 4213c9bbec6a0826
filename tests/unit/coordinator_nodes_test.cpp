#include "tests/catch.hpp"

#include "tests/unit/coordinator_bench_top.hpp"

using namespace muster;
using muster::testing::BenchTop;
using muster::testing::Puppet;

namespace {

StoreImage store_with(std::vector<StoredNode> nodes) {
    StoreImage image = BenchTop::empty_store();
    image.nodes = std::move(nodes);
    return image;
}

StoredNode stored(const std::string& name, Incarnation incarnation = Incarnation{1}) {
    return StoredNode{.name = name, .incarnation = incarnation};
}

NodeView node(BenchTop& bench, const std::string& name) {
    return bench.read<NodeShowReply>(NodeShowRequest{name}).node;
}

}  // namespace

// Goal: one silent answer is a miss, `lost_after` in a row are a loss, and work moves then.
// Method: an agent stops answering; another one is there to take over.
TEST_CASE("a node that misses three polls in a row is lost and its work moves",
          "[coordinator][nodes][GO-19][GO-D9]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    REQUIRE(n1.instances.size() == 1);
    Puppet& n2 = bench.join("n2");
    bench.pass(1s);
    n1.answers = false;
    bench.pass(3s);  // The first of these terms only brings the first poll.
    CHECK(node(bench, "n1").health == "healthy");
    CHECK(node(bench, "n1").note == "silent for 2 polls");
    CHECK(n2.instances.empty());
    bench.pass(1s);
    CHECK(node(bench, "n1").health == "lost");
    CHECK(bench.happened("node.lost", "n1"));
    CHECK(n2.instances.size() == 1);
}

// Goal: a lost node serves again with its first good answer, and doubles end.
// Method: the lost node answers again while a replacement runs.
TEST_CASE("a lost node that answers is healthy again and its double is stopped",
          "[coordinator][nodes][GO-D9][S7]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    bench.join("n2");
    n1.answers = false;
    bench.pass(4s);
    REQUIRE(bench.running("web") == 2);
    n1.answers = true;
    bench.pass(4s);
    CHECK(bench.happened("node.returned", "n1"));
    CHECK(node(bench, "n1").health == "healthy");
    CHECK(bench.running("web") == 1);
    CHECK(bench.status().converged);
}

// Goal: the mark is in the store before anything follows from it.
// Method: a store that does not confirm the loss.
TEST_CASE("nothing is started elsewhere before the loss is durable", "[coordinator][durable]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    Puppet& n2 = bench.join("n2");
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

// Goal: who slept suspects nobody.
// Method: no wake for a term and a half, nor any answer.
TEST_CASE("a term in which our own loop was late counts no miss", "[coordinator][S10]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    bench.pass(500ms);
    for (int pause = 0; pause < 5; ++pause) {
        bench.now += 2'600ms;
        bench.give(Wake{});
    }
    CHECK(node(bench, "n1").note.empty());
    CHECK(node(bench, "n1").health == "healthy");
}

// Goal: losses are decided at a limited rate.
// Method: 30 of 60 nodes fall silent at once; the burst is 10, then one a term.
TEST_CASE("mass silence is decided at the stated rate", "[coordinator][S9]") {
    BenchTop bench;
    for (int i = 0; i < 60; ++i) {
        bench.join("n" + std::to_string(100 + i));
    }
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

// Goal: a goodbye is a planned absence.
// Method: an agent stops its tasks, says so, says goodbye and stays away.
TEST_CASE("a node that said goodbye is lost only after its grace", "[coordinator][nodes]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    bench.give(FromAgent{n1.session, Goodbye{Incarnation{1}}});
    bench.pass(29s);
    CHECK(node(bench, "n1").health == "healthy");
    CHECK(node(bench, "n1").note == "said goodbye");
    CHECK(bench.status().serving == 0);
    bench.pass(2s);
    CHECK(node(bench, "n1").health == "lost");

    n1.answers = true;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    bench.say_hello(n1);
    bench.pass(1s);
    CHECK(node(bench, "n1").health == "healthy");
    CHECK(bench.status().serving == 1);
}

// Goal: a dead name does not stay in the list for ever, but one with placements does.
// Method: an empty and a busy node are lost for longer than `forget_after`.
TEST_CASE("a lost node without placements is forgotten in time", "[coordinator][nodes][SC-01]") {
    BenchTop bench{BenchTop::empty_store(), {.forget_after = 60s, .version = "1.0"}};
    Puppet& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    Puppet& n2 = bench.join("n2");
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

// Goal: a hello of the same life moves the session and keeps what is held.
// Method: the same agent on a new route.
TEST_CASE("the same life on a new route goes on where it was", "[coordinator][hello][SC-03]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    n1.session = Session{777};
    bench.say_hello(n1);
    CHECK(n1.welcomes.size() == 2);
    CHECK(n1.polls.back().seen == n1.revision);
    CHECK(bench.status().nodes == 1);
    CHECK(bench.status().running == 1);
}

// Goal: an agent that lost its disk is told the incarnation to surpass.
// Method: another life says an incarnation that is not above the known one.
TEST_CASE("another life not above the known incarnation is told what is known",
          "[coordinator][hello][SC-D12]") {
    BenchTop bench{store_with({stored("n1", Incarnation{5})})};
    Puppet& n1 = bench.add("n1");
    n1.incarnation = Incarnation{1};
    bench.say_hello(n1);
    REQUIRE(n1.refusals.size() == 1);
    CHECK(n1.refusals.front().code == Errc::stale_incarnation);
    CHECK(n1.refusals.front().known == Incarnation{5});
    n1.incarnation = Incarnation{6};
    bench.say_hello(n1);
    CHECK(n1.welcomes.size() == 1);
}

// Goal: two agents of one name: the second is refused, the first untouched.
// Method: a second life of a higher incarnation while the first answers, and when it does not.
TEST_CASE("a name is in use while its old life answers, and free after one missed answer",
          "[coordinator][hello][S18]") {
    BenchTop bench;
    Puppet& first = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    Puppet second = first;
    second.life = LifeId{0xbad, 1};
    second.incarnation = Incarnation{2};
    second.session = Session{900};

    const std::size_t polls = first.polls.size();
    const Output refused = bench.give(FromAgent{second.session, BenchTop::hello_of(second)});
    REQUIRE(refused.messages.size() == 1);
    CHECK(std::get<Refused>(refused.messages.front().message).code == Errc::name_in_use);
    CHECK(first.polls.size() == polls + 1);
    bench.pass(3s);
    CHECK(node(bench, "n1").incarnation == Incarnation{1});
    CHECK(bench.status().running == 1);

    first.answers = false;
    bench.give(FromAgent{second.session, BenchTop::hello_of(second)});
    bench.pass(1s);
    const Output welcomed = bench.give(FromAgent{second.session, BenchTop::hello_of(second)});
    REQUIRE(welcomed.messages.size() == 1);
    CHECK(std::holds_alternative<Welcome>(welcomed.messages.front().message));
    CHECK(node(bench, "n1").incarnation == Incarnation{2});
}

// Goal: what an older life says changes nothing.
// Method: a report of the old incarnation after a new life was welcomed.
TEST_CASE("reports of an older life are dropped", "[coordinator][hello][SC-D12]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    const Session old_session = n1.session;
    bench.give(SessionClosed{old_session});
    n1.life = LifeId{2, 2};
    n1.incarnation = Incarnation{2};
    n1.revision = Revision{1};
    n1.session = Session{901};
    bench.say_hello(n1);
    REQUIRE(bench.status().running == 1);
    // It fits what is held but for the incarnation.
    Report late;
    late.kind = ReportKind::delta;
    late.epoch = Epoch{3};
    late.incarnation = Incarnation{1};
    late.from = Revision{1};
    late.to = Revision{2};
    late.gone = {{"web", 0}};
    bench.give(FromAgent{n1.session, late});
    CHECK(bench.status().running == 1);
}

// Goal: a new life is never taken for the old one.
// Method: an agent restarts with nothing running.
TEST_CASE("an agent that comes back empty is given its work anew", "[coordinator][hello]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.want("web", 1);
    bench.pass(2s);
    bench.give(SessionClosed{n1.session});
    n1.life = LifeId{2, 2};
    n1.incarnation = Incarnation{2};
    n1.revision = Revision{1};
    n1.session = Session{902};
    n1.instances.clear();
    bench.say_hello(n1);
    bench.pass(1s);
    CHECK(bench.running("web") == 1);
    CHECK(n1.batches.back().specs.size() == 1);
    CHECK(n1.batches.back().incarnation == Incarnation{2});
}

// Goal: a store that knows less than a node orders nothing there (S13, S25).
// Method: four ways of being ahead.
TEST_CASE("a node that has seen a later or another store is ahead and gets no command",
          "[coordinator][ahead][S13]") {
    BenchTop bench;
    bench.want("web", 1);
    bench.pass(2s);
    Puppet& n1 = bench.add("n1");
    SECTION("of another cluster") { n1.cluster = ClusterId{7, 7}; }
    SECTION("of a later epoch") {
        n1.epoch = Epoch{4};
        n1.leader = LeaderId{5, 5};
    }
    SECTION("of our epoch under another leader") {
        n1.epoch = Epoch{3};
        n1.leader = LeaderId{5, 5};
    }
    SECTION("of a later change") { n1.counter = Generation{12}; }
    SECTION("by what it runs") {
        InstanceReport old;
        old.id = {"old", 0};
        old.generation = Generation{40};
        old.state = InstanceState::running;
        n1.instances[old.id] = old;
    }
    bench.say_hello(n1);
    bench.pass(3s);
    CHECK(n1.batches.empty());
    CHECK(bench.happened("node.ahead", "n1"));
    const StatusReply status = bench.status();
    CHECK(status.ahead == 1);
    CHECK(status.serving == 0);
    REQUIRE(status.alarms.size() == 1);
    CHECK(status.alarms.front().find("n1") != std::string::npos);
    const auto* row = std::get_if<StoredNode>(&bench.persisted.back().writes.front());
    REQUIRE(row != nullptr);
    CHECK(row->ahead);
}

// Goal: the way out of being ahead is the operator's.
// Method: an empty store meets a node of another cluster; `store accept` takes it over.
TEST_CASE("store accept takes over what the nodes ahead know and leads them",
          "[coordinator][ahead][S13]") {
    BenchTop bench;
    Puppet& n1 = bench.add("n1");
    n1.cluster = ClusterId{7, 7};
    n1.epoch = Epoch{9};
    n1.leader = LeaderId{5, 5};
    n1.counter = Generation{30};
    bench.say_hello(n1);
    bench.pass(2s);

    const auto listed = bench.read<StoreAcceptReply>(StoreAcceptRequest{.dry_run = true});
    REQUIRE(listed.nodes.size() == 1);
    CHECK(listed.nodes.front() == AheadNode{"n1", ClusterId{7, 7}, Epoch{9}, Generation{30}});
    CHECK(bench.status().ahead == 1);

    const auto reply = bench.ask(StoreAcceptRequest{}, bench.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    const StatusReply status = bench.status();
    CHECK(status.ahead == 0);
    CHECK(status.cluster == ClusterId{7, 7});
    CHECK(status.epoch == Epoch{10});
    CHECK(status.counter == Generation{31});
    CHECK(n1.welcomes.back().cluster == ClusterId{7, 7});
    CHECK(n1.welcomes.back().epoch == Epoch{10});
    CHECK(n1.polls.back().epoch == Epoch{10});
    bench.pass(1s);
    bench.want("web", 1);
    CHECK(bench.running("web") == 1);
    CHECK(n1.batches.back().epoch == Epoch{10});
}

// Goal: nonsense claims are refused, not added one to.
// Method: an agent that claims the highest epoch there is.
TEST_CASE("store accept refuses claims no honest agent makes", "[coordinator][ahead][S25]") {
    BenchTop bench;
    Puppet& n1 = bench.add("n1");
    n1.epoch = Epoch{~std::uint64_t{0}};
    n1.leader = LeaderId{5, 5};
    bench.say_hello(n1);
    const auto reply = bench.ask(StoreAcceptRequest{}, bench.fresh_id());
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    CHECK(reply->result.error().code == Errc::refused);
    CHECK(bench.status().epoch == Epoch{3});
}

// Goal: a node that has just found us again is asked often enough before it is called lost (S11).
// Method: it was away for long within the grace; it says hello as the grace ends, and answers late.
TEST_CASE("a node on a new route is not lost before it was asked there", "[coordinator][S11]") {
    BenchTop bench{store_with({stored("n1"), stored("n2")})};
    bench.join("n2");
    bench.pass(17500ms);
    Puppet& n1 = bench.add("n1");
    n1.answers = false;
    bench.say_hello(n1);
    bench.pass(3s);
    CHECK(bench.status().lost == 0);
    bench.pass(2s);
    CHECK(bench.status().lost == 1);
}

// Goal: coming again and again is no substitute for an answer.
// Method: a new life every two terms, none of which answers.
TEST_CASE("an agent that always comes and never answers is lost", "[coordinator][nodes]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.pass(2s);
    n1.answers = false;
    for (std::uint64_t life = 2; life < 20; ++life) {
        n1.life = LifeId{life, life};
        n1.incarnation = Incarnation{life};
        n1.session = Session{1'000 + life};
        bench.say_hello(n1);
        bench.pass(2s);
    }
    CHECK(node(bench, "n1").health == "lost");
}

// Goal: who comes back after a goodbye has the time of anybody else to answer (S11).
// Method: it stays away past its grace, then says hello, and its first answers are lost.
TEST_CASE("a node that comes back after its goodbye is not lost at once", "[coordinator][S11]") {
    BenchTop bench;
    Puppet& n1 = bench.join("n1");
    bench.pass(2s);
    bench.give(FromAgent{n1.session, Goodbye{Incarnation{1}}});
    bench.pass(29500ms);
    n1.answers = false;
    n1.life = LifeId{9, 9};
    n1.incarnation = Incarnation{2};
    n1.session = Session{910};
    bench.say_hello(n1);
    bench.pass(2s);
    CHECK(node(bench, "n1").health == "healthy");
    n1.answers = true;
    bench.pass(1s);
    CHECK(bench.status().serving == 1);
    CHECK(bench.status().lost == 0);
}
