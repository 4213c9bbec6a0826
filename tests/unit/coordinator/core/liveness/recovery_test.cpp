#include "tests/catch.hpp"

#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

/// The store of an earlier leadership: `web` is wanted, and there were two nodes.
StoreImage earlier_store() {
    StoreImage image = CoordinatorHarness::empty_store();
    image.tasks = {StoredTask{CoordinatorHarness::wanted("web", 2), Generation{8}, Generation{8}}};
    image.nodes = {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")};
    return image;
}

void run(FakeAgent& fake, const InstanceId& id, Generation generation) {
    InstanceReport instance;
    instance.id = id;
    instance.generation = generation;
    instance.state = InstanceState::running;
    fake.instances[id] = instance;
}

}  // namespace

// Goal: a restarted coordinator disturbs nothing that runs.
// Method: both nodes of the store report their instances.
TEST_CASE("after a restart running instances are accepted as they are",
          "[coordinator][recovery][S11]") {
    CoordinatorHarness harness{earlier_store()};
    CHECK(harness.status().phase == "recovering");
    FakeAgent& n1 = harness.add("n1");
    run(n1, {"web", 0}, Generation{8});
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK(harness.status().phase == "recovering");
    CHECK(n1.batches.empty());

    FakeAgent& n2 = harness.add("n2");
    run(n2, {"web", 1}, Generation{8});
    harness.send_hello(n2);
    CHECK(harness.status().phase == "leading");
    CHECK(harness.happened("recovery.ended", ""));
    harness.pass(2s);
    CHECK(n1.batches.empty());
    CHECK(n2.batches.empty());
    CHECK(harness.status().converged);
}

// Goal: the counts of status add up. Method: one of two nodes of the store never reports.
TEST_CASE("a node that recovery awaits is counted as unready, then as silent, never as both",
          "[coordinator][recovery][silence]") {
    CoordinatorHarness harness{earlier_store()};
    harness.join("n1");
    const auto in_all = [](const StatusReply& status) {
        const auto& [healthy, unready, flaky, lost] = status.health;
        return healthy + unready + flaky + status.silent + lost;
    };
    const StatusReply at_first = harness.status();
    CHECK(at_first.health.unready == 1);
    CHECK(at_first.silent == 0);
    CHECK(in_all(at_first) == 2);
    harness.pass(4s);
    const StatusReply later = harness.status();
    CHECK(later.phase == "recovering");
    CHECK(later.health.unready == 0);
    CHECK(later.silent == 1);
    CHECK(in_all(later) == 2);
}

// Goal: an absent node delays recovery for the grace at most.
// Method: one of two nodes never reports.
TEST_CASE("recovery ends with its grace, and then the silent node is lost",
          "[coordinator][recovery][S11]") {
    CoordinatorHarness harness{earlier_store()};
    FakeAgent& n1 = harness.add("n1");
    run(n1, {"web", 0}, Generation{8});
    harness.send_hello(n1);
    FakeAgent& n3 = harness.join("n3");
    harness.pass(17s);
    CHECK(n3.batches.empty());
    CHECK(harness.status().lost == 0);
    harness.pass(3s);
    CHECK(harness.status().phase == "leading");
    CHECK(harness.status().lost == 1);
    CHECK(n3.instances.contains({"web", 1}));
    CHECK(harness.running("web") == 2);
}

// Goal: an instance that may still be reported is neither unplaced nor starting, in no answer.
// Method: one of two nodes has reported, so one instance of the task was not seen; and before.
TEST_CASE("while nodes are awaited, instances that none of them reported are unseen",
          "[coordinator][recovery]") {
    CoordinatorHarness harness{earlier_store()};
    CHECK(harness.status().unseen == 2);
    run(harness.add("n1"), {"web", 0}, Generation{8});
    harness.send_hello(harness["n1"]);
    harness.pass(2s);
    REQUIRE(harness.status().phase == "recovering");
    const auto shown = harness.read<TaskShowReply>(TaskShowRequest{"web"});
    CHECK(shown.task.state == "recovering");
    CHECK_THAT(shown.task.detail, Catch::Contains("until every known node has reported"));
    REQUIRE(shown.instances.size() == 2);
    CHECK(shown.instances[1].state == "unseen");
    CHECK_FALSE(harness.happened("task.unplaced", "web"));
    const auto status = harness.status();
    CHECK(status.awaited == 1);
    CHECK(status.running == 1);
    CHECK(status.unseen == 1);
    CHECK(status.starting + status.unplaced == 0);
    harness.join("n2");
    CHECK(harness.status().awaited + harness.status().unseen == 0);
}

// Goal: a task whose nodes are unknown is never shown as converged.
// Method: a task of every node, before, while and after its nodes report.
TEST_CASE("during recovery a task of every node is not converged", "[coordinator][recovery]") {
    StoreImage image = earlier_store();
    image.tasks.front().wanted.instances = 1;
    image.tasks.front().wanted.place.every_node = true;
    CoordinatorHarness harness{image};
    const auto state = [&] {
        return harness.read<TaskListReply>(TaskListRequest{}).tasks.front().state;
    };
    CHECK(state() == "recovering");
    harness.pass(2s);
    CHECK(state() == "recovering");
    run(harness.add("n1"), {"web", 0}, Generation{8});
    harness.send_hello(harness["n1"]);
    const Ticket wait = harness.request(WaitRequest{.pattern = "web", .timeout_ms = 60'000});
    harness.pass(2s);
    CHECK(state() == "recovering");
    CHECK_FALSE(harness.reply_to(wait));
    run(harness.add("n2"), {"web", 1}, Generation{8});
    harness.send_hello(harness["n2"]);
    harness.pass(1s);
    CHECK(state() == "converged");
    REQUIRE(harness.reply_to(wait));
    CHECK(harness.reply_to(wait)->result);
}

// Goal: a restart during mass silence reports what it waits for, and that this may last (S9, S11).
// Method: three of four nodes never return; query within the grace, after it, and after an operator
// gave them up.
TEST_CASE("a recovery that meets a freeze reports for whom and until when it waits",
          "[coordinator][recovery][freeze][S9][S11]") {
    StoreImage image = earlier_store();
    image.nodes.push_back(CoordinatorHarness::stored("n3"));
    image.nodes.push_back(CoordinatorHarness::stored("n4"));
    CoordinatorHarness harness{image};
    run(harness.add("n1"), {"web", 0}, Generation{8});
    harness.send_hello(harness["n1"]);
    harness.pass(10s);
    StatusReply status = harness.status();
    CHECK(status.phase == "recovering");
    CHECK(status.freeze.detail ==
          "the silent nodes are judged together once recovery_grace is over");
    CHECK_THAT(status.alarms.front(),
               Catch::StartsWith("recovering: the first report of 3 known nodes is missing "
                                 "(n2, n3, n4)") &&
                   Catch::Contains("still silent after recovery_grace (18 s)"));
    harness.pass(20s);
    status = harness.status();
    CHECK(status.phase == "frozen");
    CHECK(status.awaited == 3);
    CHECK(status.unseen == 1);
    CHECK_THAT(status.alarms[1], Catch::StartsWith("recovering: ") &&
                                     Catch::EndsWith("'muster freeze off' ends the wait"));
    CHECK(harness["n1"].batches.empty());
    REQUIRE(harness.ask(FreezeOffRequest{}, harness.fresh_id())->result);
    harness.pass(5s);
    status = harness.status();
    CHECK(status.phase == "leading");
    CHECK(status.awaited == 0);
    CHECK(status.health.lost == 3);
}

// Goal: recovery does not delay new tasks.
// Method: apply a task while nodes are awaited.
TEST_CASE("a task added during recovery is started at once", "[coordinator][recovery]") {
    CoordinatorHarness harness{earlier_store()};
    FakeAgent& n1 = harness.add("n1");
    harness.send_hello(n1);
    harness.pass(2s);
    REQUIRE(harness.status().phase == "recovering");
    harness.want("new", 1);
    CHECK(n1.instances.contains({"new", 0}));
    CHECK_FALSE(n1.instances.contains({"web", 0}));
}

// Goal: recovery does not wait for nodes that were lost or had left.
// Method: one node of each kind in the store, and one that reports.
TEST_CASE("recovery waits neither for lost nodes nor for those that left",
          "[coordinator][recovery]") {
    StoreImage image = earlier_store();
    image.nodes.push_back({.name = "n3", .incarnation = Incarnation{1}, .lost = true});
    image.nodes.push_back({.name = "n4", .incarnation = Incarnation{1}, .gone = true});
    CoordinatorHarness harness{image};
    harness.join("n1");
    CHECK(harness.status().phase == "recovering");
    harness.join("n2");
    CHECK(harness.status().phase == "leading");
    harness.pass(1s);
    CHECK(harness.running("web") == 2);
}

// Goal: a node of the store is not suspected before it had time to connect (S11).
// Method: it reports, falls silent within the grace, and is lost only after it.
TEST_CASE("no node of the store is lost before the grace is over", "[coordinator][recovery][S11]") {
    CoordinatorHarness harness{earlier_store()};
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.pass(2s);
    n1.answers = false;
    harness.pass(15s);
    CHECK(harness.status().lost == 0);
    harness.pass(3s);
    CHECK(harness.status().lost == 1);
}

// Goal: an empty store has nothing to recover.
// Method: check the phase at once.
TEST_CASE("a new cluster leads from the first moment", "[coordinator][recovery]") {
    CoordinatorHarness harness;
    CHECK(harness.status().phase == "leading");
    CHECK(harness.happened("leader.elected", ""));
}

// Goal: a coordinator that lost knowledge stops nothing that its store cannot have ordered.
// Method: a node of this cluster runs a task that was removed, and one of generation 0.
TEST_CASE("an instance that was wanted before is stopped, an unknown one is a stray",
          "[coordinator][recovery][GO-10]") {
    StoreImage image = CoordinatorHarness::empty_store();
    image.nodes = {StoredNode{.name = "n1", .incarnation = Incarnation{1}}};
    CoordinatorHarness harness{image};
    FakeAgent& n1 = harness.add("n1");
    n1.cluster = CoordinatorHarness::cluster;
    run(n1, {"removed", 0}, Generation{7});
    run(n1, {"stray", 0}, Generation{});
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK_FALSE(n1.instances.contains({"removed", 0}));
    CHECK(n1.instances.contains({"stray", 0}));
    CHECK(harness.status().strays == 1);
}

// Goal: the instances of a node that is ahead are known before any start elsewhere (S7, S11).
// Method: one of two nodes of the store knows a later store, and answers late or never.
TEST_CASE("recovery waits for the report of a node that is ahead, at most for its grace",
          "[coordinator][recovery][ahead][S11]") {
    CoordinatorHarness harness{earlier_store()};
    FakeAgent& n1 = harness.add("n1");
    run(n1, {"web", 0}, Generation{8});
    harness.send_hello(n1);
    FakeAgent& n3 = harness.join("n3");
    FakeAgent& n2 = harness.add("n2");
    run(n2, {"web", 1}, Generation{8});
    n2.counter = Generation{99};
    n2.answers = false;
    harness.send_hello(n2);
    CHECK(harness.status().ahead == 1);
    harness.pass(2s);
    CHECK(harness.status().phase == "recovering");
    SECTION("it answers") {
        n2.answers = true;
        harness.pass(2s);
        CHECK(harness.status().phase == "leading");
        CHECK(n3.batches.empty());
    }
    SECTION("it sends hello after hello, and never answers") {
        for (int second = 0; second < 20; ++second) {
            harness.send_hello(n2);
            harness.pass(1s);
        }
        CHECK(harness.status().phase == "leading");
    }
    CHECK(n2.batches.empty());
}
