#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

void run_on(FakeAgent& fake, const InstanceId& id, Generation generation) {
    InstanceReport& instance = fake.instances[id];
    instance.id = id;
    instance.generation = generation;
    instance.state = InstanceState::running;
}

bool is_ahead(CoordinatorHarness& harness, const std::string& name) {
    const auto shown = harness.read<NodeShowReply>(NodeShowRequest{name});
    return shown.node.note.starts_with("ahead");
}

}  // namespace

// Goal: a store that knows less than a node orders nothing there (S13, S25).
// Method: every way of being ahead.
TEST_CASE("a node that has seen a later or another store is ahead and gets no command",
          "[coordinator][ahead][S13]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    harness.pass(2s);
    FakeAgent& n1 = harness.add("n1");
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
    SECTION("through its instances") { run_on(n1, {"old", 0}, Generation{40}); }
    SECTION("through a version of a task that is later than the wanted one") {
        harness.want("api", 1);
        REQUIRE(harness.status().counter == Generation{12});
        run_on(n1, {"web", 0}, Generation{12});  // This store has generation 11.
    }
    harness.send_hello(n1);
    harness.pass(3s);
    CHECK(n1.batches.empty());
    CHECK(harness.happened("node.ahead", "n1"));
    const StatusReply status = harness.status();
    CHECK(status.ahead == 1);
    CHECK(status.serving == 0);
    REQUIRE(status.alarms.size() == 1);
    CHECK(status.alarms.front().find("n1") != std::string::npos);
    const auto* row = std::get_if<StoredNode>(&harness.persisted.back().writes.front());
    REQUIRE(row != nullptr);
    CHECK(row->ahead);
}

// Goal: only an operator ends the state ahead.
// Method: an empty store meets a node of another cluster; `store accept` takes it over.
TEST_CASE("store accept takes over what the nodes ahead know and leads them",
          "[coordinator][ahead][S13]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    n1.cluster = ClusterId{7, 7};
    n1.epoch = Epoch{9};
    n1.leader = LeaderId{5, 5};
    n1.counter = Generation{30};
    harness.send_hello(n1);
    harness.pass(2s);

    const auto listed = harness.read<StoreAcceptReply>(StoreAcceptRequest{.dry_run = true});
    REQUIRE(listed.nodes.size() == 1);
    CHECK(listed.nodes.front() == AheadNode{"n1", ClusterId{7, 7}, Epoch{9}, Generation{30}, ""});
    CHECK(harness.status().ahead == 1);

    const auto reply = harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    const StatusReply status = harness.status();
    CHECK(status.ahead == 0);
    CHECK(status.cluster == ClusterId{7, 7});
    CHECK(status.epoch == Epoch{10});
    CHECK(status.counter == Generation{31});
    CHECK(n1.refusals.back().code == Errc::hello_required);
    harness.send_hello(n1);
    CHECK(n1.welcomes.back().cluster == ClusterId{7, 7});
    CHECK(n1.welcomes.back().epoch == Epoch{10});
    CHECK(n1.polls.back().epoch == Epoch{10});
    harness.pass(1s);
    harness.want("web", 1);
    CHECK(harness.running("web") == 1);
    CHECK(n1.batches.back().epoch == Epoch{10});
}

// Goal: an acceptance numbers tasks again and changes nothing else of them.
// Method: a pinned task, in an accepted store.
TEST_CASE("store accept keeps the placement of tasks", "[coordinator][ahead]") {
    CoordinatorHarness harness;
    WantedTask pinned = CoordinatorHarness::wanted("web", 1);
    pinned.place.pinned = true;
    pinned.place.priority = 7;
    ApplyRequest apply;
    apply.tasks.push_back(pinned);
    harness.ask(apply, harness.fresh_id());
    FakeAgent& n1 = harness.add("n1");
    n1.cluster = ClusterId{7, 7};
    n1.counter = Generation{30};
    harness.send_hello(n1);
    harness.pass(2s);
    REQUIRE(harness.ask(StoreAcceptRequest{}, harness.fresh_id()));
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    CHECK(shown.task.generation == Generation{31});
    CHECK(shown.wanted.place == pinned.place);
}

// Goal: the nodes of the previous cluster are still known.
// Method: a node that this coordinator led, and one of another cluster that is taken over.
TEST_CASE("store accept leaves the nodes of the old cluster ahead", "[coordinator][ahead][S13]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(1s);
    REQUIRE_FALSE(n1.batches.empty());
    FakeAgent& n2 = harness.add("n2");
    n2.cluster = ClusterId{7, 7};
    harness.send_hello(n2);
    harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    n1.cluster = CoordinatorHarness::cluster;  // It obeyed.
    n1.epoch = Epoch{3};
    n1.leader = CoordinatorHarness::leader;
    harness.send_hello(n1);
    harness.send_hello(n2);
    const std::size_t batches = n1.batches.size();
    harness.pass(2s);
    CHECK(n1.batches.size() == batches);
    CHECK(is_ahead(harness, "n1"));
    CHECK_FALSE(is_ahead(harness, "n2"));
}

// Goal: after an acceptance exactly the store's tasks run, whatever the numbers were.
// Method: a node of another cluster runs a task of the same name and generation, but with another
// spec.
TEST_CASE("an accepted store has every task replaced by a new generation",
          "[coordinator][ahead][S13]") {
    CoordinatorHarness harness;
    harness.want("web", 1);
    FakeAgent& n1 = harness.add("n1");
    n1.cluster = ClusterId{7, 7};
    n1.epoch = Epoch{9};
    n1.leader = LeaderId{5, 5};
    n1.counter = Generation{30};
    run_on(n1, {"web", 0}, Generation{11});
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK(n1.batches.empty());
    harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    harness.send_hello(n1);
    harness.pass(3s);
    CHECK(n1.instances[InstanceId{"web", 0}].generation == Generation{31});
    REQUIRE_FALSE(n1.batches.empty());
    CHECK(n1.batches.back().specs.size() == 1);
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    CHECK(shown.task.generation == Generation{31});
    CHECK(shown.task.state == "converged");
}

// Goal: a node that obeys another leader after its hello gets no useless orders for ever.
// Method: it refuses an order, as an agent does that a late message has reached.
TEST_CASE("a node that refuses our epoch or cluster must state its memory again",
          "[coordinator][ahead][S25]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    n1.obeys = false;
    harness.want("web", 1);
    harness.pass(1500ms);
    REQUIRE_FALSE(n1.batches.empty());
    Ack ack{Epoch{3}, Incarnation{1}, Sequence{}, {}};
    const Start& start = n1.batches.back().starts.front();
    SECTION("of our epoch under another leader") {
        n1.epoch = Epoch{3};
        ack.refusals.push_back({start.id, start.generation, Errc::stale_epoch, {}});
    }
    SECTION("of a later epoch") {
        n1.epoch = Epoch{4};
        ack.epoch = n1.epoch;
    }
    SECTION("of another cluster") {
        n1.cluster = ClusterId{7, 7};
        ack.refusals.push_back({start.id, start.generation, Errc::foreign_cluster, {}});
    }
    SECTION("of another cluster, where the epoch is lower") {
        n1.cluster = ClusterId{7, 7};
        n1.epoch = Epoch{1};
        ack.epoch = n1.epoch;
        ack.refusals.push_back({start.id, start.generation, Errc::foreign_cluster, {}});
    }
    n1.leader = LeaderId{5, 5};
    harness.give(FromAgent{n1.session, ack});
    REQUIRE_FALSE(n1.refusals.empty());
    CHECK(n1.refusals.back().code == Errc::hello_required);
    const std::size_t batches = n1.batches.size();
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK(is_ahead(harness, "n1"));
    CHECK(n1.batches.size() == batches);
}

// Goal: a late command of an earlier leader that was refused says nothing about the node.
// Method: a refusal of something that is not in flight.
TEST_CASE("a refusal of something that was not ordered changes nothing",
          "[coordinator][ahead][S25]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.want("web", 1);
    harness.pass(2s);
    Ack ack{Epoch{3}, Incarnation{1}, n1.obeyed, {}};
    ack.refusals.push_back({{"web", 0}, Generation{5}, Errc::stale_epoch, {}});
    harness.give(FromAgent{n1.session, ack});
    CHECK(n1.refusals.empty());
    CHECK(harness.status().converged);
}

// Goal: an obeyed order is not given again elsewhere because of a late refusal.
// Method: the agent obeys, and then refuses what was meant for its previous life.
TEST_CASE("a refusal of an order for another life decides nothing", "[coordinator][ahead][S7]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    n1.obeys = false;
    harness.want("web", 1);
    harness.pass(1500ms);
    REQUIRE_FALSE(n1.batches.empty());
    const Start& start = n1.batches.back().starts.front();
    FakeAgent& n2 = harness.join("n2");
    Ack ack{Epoch{3}, Incarnation{1}, n1.batches.back().sequence, {}};
    ack.refusals.push_back({start.id, start.generation, Errc::stale_incarnation, {}});
    harness.give(FromAgent{n1.session, ack});
    CHECK(n1.refusals.empty());
    CHECK(n2.batches.empty());
}

// Goal: absurd claims are refused, not incremented, and delay no other node.
// Method: an agent that claims the highest possible epoch; then another with an honest claim.
TEST_CASE("store accept ignores claims that no honest agent makes", "[coordinator][ahead][S25]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    n1.epoch = Epoch{~std::uint64_t{0}};
    n1.leader = LeaderId{5, 5};
    harness.send_hello(n1);
    const auto refused = harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    REQUIRE(refused);
    REQUIRE_FALSE(refused->result);
    CHECK(refused->result.error().code == Errc::refused);
    CHECK(refused->result.error().detail.find("n1") != std::string::npos);
    CHECK(harness.status().epoch == Epoch{3});

    FakeAgent& n2 = harness.add("n2");
    n2.epoch = Epoch{9};
    n2.leader = LeaderId{5, 5};
    harness.send_hello(n2);
    const auto reply = harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    const auto& nodes = std::get<StoreAcceptReply>(*reply->result).nodes;
    REQUIRE(nodes.size() == 2);
    CHECK_FALSE(nodes[0].left_out.empty());
    CHECK(nodes[1].left_out.empty());
    CHECK(harness.status().epoch == Epoch{10});
    CHECK(harness.status().ahead == 1);
    CHECK(harness.status().serving == 1);
}

// Goal: the advice in a refusal of store accept works: start the agent on an empty state directory.
// An earlier life's reports do not count against the new one.
// Method: an agent reports an impossibly high generation; its next life reports nothing.
TEST_CASE("store accept takes over a node whose agent began a new life after a false report",
          "[coordinator][ahead][S25]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    run_on(n1, {"old", 0}, Generation{std::uint64_t{1} << 62U});
    harness.send_hello(n1);
    harness.pass(3s);
    const auto refused = harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    REQUIRE(refused);
    REQUIRE_FALSE(refused->result);
    CHECK(refused->result.error().detail.find("empty state directory") != std::string::npos);

    n1.instances.clear();
    harness.give(SessionClosed{n1.session});
    n1.life = LifeId{0x11fe, 77};
    n1.incarnation = Incarnation{2};
    n1.session = Session{901};
    harness.send_hello(n1);
    harness.pass(3s);
    REQUIRE(is_ahead(harness, "n1"));
    const auto reply = harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    CHECK_FALSE(is_ahead(harness, "n1"));
}

// Goal: two foreign clusters cannot both be taken over, and one that has left does not block.
// Method: agents of two other clusters; then one of them is gone.
TEST_CASE("store accept takes over one foreign cluster", "[coordinator][ahead][S13]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    n1.cluster = ClusterId{7, 7};
    harness.send_hello(n1);
    FakeAgent& n2 = harness.add("n2");
    n2.cluster = ClusterId{8, 8};
    harness.send_hello(n2);
    const auto refused = harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    REQUIRE(refused);
    REQUIRE_FALSE(refused->result);
    CHECK(refused->result.error().detail.find("n2") != std::string::npos);

    harness.give(SessionClosed{n2.session});
    const auto reply = harness.ask(StoreAcceptRequest{}, harness.fresh_id());
    REQUIRE(reply);
    REQUIRE(reply->result);
    CHECK(harness.status().cluster == ClusterId{7, 7});
}

// Goal: an acceptance renumbers tasks and changes nothing else of them.
// Method: a task with placement rules is wanted when a store is accepted; read it again.
TEST_CASE("an accepted store keeps the placement rules of its tasks",
          "[coordinator][ahead][placement]") {
    CoordinatorHarness harness;
    WantedTask task = CoordinatorHarness::wanted("web", 2);
    task.place.priority = 7;
    task.place.group = "g";
    harness.ask(ApplyRequest{.tasks = {task}}, harness.fresh_id());
    FakeAgent& n1 = harness.add("n1");
    n1.counter = Generation{30};
    n1.epoch = Epoch{9};
    harness.send_hello(n1);
    REQUIRE(harness.ask(StoreAcceptRequest{}, harness.fresh_id())->result);
    CHECK(harness.read<TaskShowReply>(TaskShowRequest{"web"}).wanted == task);
}
