#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

std::string tasks_on(const FakeAgent& fake) {
    std::string names;
    for (const auto& [id, instance] : fake.instances) {
        names += id.task + " ";
    }
    return names;
}

/// n0, n1 and n2, each with one of t0, t1 and t2.
void start_three(CoordinatorHarness& harness) {
    for (const char* name : {"n0", "n1", "n2"}) {
        harness.join(name);
    }
    harness.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("t0", 1),
                                       CoordinatorHarness::wanted("t1", 1),
                                       CoordinatorHarness::wanted("t2", 1)}},
                harness.fresh_id());
    harness.pass(5s);
    REQUIRE(harness["n1"].instances.size() == 1);
}

std::size_t running_beside_n1(CoordinatorHarness& harness) {
    return harness["n0"].instances.size() + harness["n2"].instances.size();
}

}  // namespace

// Goal: a removed node is drained first, then gone, and refused until it is added again.
// Method: remove one of three, send another hello, add it again.
TEST_CASE("a node is removed once it is drained, and cannot join before it is added",
          "[intents][inventory][GO-12]") {
    CoordinatorHarness harness;
    start_three(harness);
    const auto reply = harness.ask(NodeRemoveRequest{.pattern = "n1"}, harness.fresh_id());
    REQUIRE(reply->result);
    CHECK(std::get<NodesChangeReply>(*reply->result).changes.front().action == "drain");
    harness.pass(8s);
    CHECK(harness.status().nodes == 2);
    CHECK(running_beside_n1(harness) == 3);
    CHECK(harness["n1"].instances.empty());
    CHECK(harness.happened("node.removed", "n1"));
    REQUIRE_FALSE(harness["n1"].refusals.empty());
    CHECK(harness["n1"].refusals.back().code == Errc::refused);

    const std::size_t batches = harness["n1"].batches.size();
    const std::size_t polls = harness["n1"].polls.size();
    harness.send_hello(harness["n1"]);
    harness.pass(5s);
    CHECK(harness["n1"].batches.size() == batches);
    CHECK(harness["n1"].polls.size() == polls);
    CHECK(harness.status().nodes == 2);
    const auto unknown = harness.ask(NodeOfflineRequest{"n1"});
    REQUIRE_FALSE(unknown->result);
    CHECK(unknown->result.error().detail ==
          "node 'n1' was removed; 'muster node add n1' lets it join again");

    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1"}}})->result);
    harness.send_hello(harness["n1"]);
    harness.pass(5s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.status().serving == 3);
}

TEST_CASE("a forced removal acts at once, and the node's instances start elsewhere",
          "[intents][inventory][GO-12]") {
    CoordinatorHarness harness;
    start_three(harness);
    const std::size_t batches = harness["n1"].batches.size();
    REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n1", .force = true})->result);
    CHECK(harness.status().nodes == 2);
    harness.pass(5s);
    CHECK(running_beside_n1(harness) == 3);
    CHECK(harness["n1"].batches.size() == batches);
    CHECK(tasks_on(harness["n1"]) == "t1 ");  // Its agent got no order to stop anything.

    // The store has the node's row and the row of its intent.
    bool erased = false;
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            const auto* gone = std::get_if<Erase<StoredNode>>(&write);
            erased = erased || (gone != nullptr && gone->name == "n1");
        }
    }
    CHECK(erased);
}

// Goal: one request replaces the set of nodes.
// Method: a list without n1; a dry run first.
TEST_CASE("a list of nodes replaces the previous one in one request",
          "[intents][inventory][GO-15]") {
    CoordinatorHarness harness;
    start_three(harness);
    NodeApplyRequest list{.nodes = {{.name = "n0"}, {.name = "n2"}, {.name = "n9"}},
                          .dry_run = true};
    const std::size_t writes = harness.persisted.size();
    const auto shown = std::get<NodesChangeReply>(*harness.ask(list)->result);
    CHECK(shown.dry_run);
    REQUIRE(shown.changes.size() == 4);
    CHECK(shown.changes[0] == NodeChangeView{"n0", "add", "active", "active"});
    CHECK(shown.changes[2] == NodeChangeView{"n9", "add", "active", "active"});
    CHECK(shown.changes[3] ==
          NodeChangeView{"n1", "drain", "active", "draining", "it is removed once it is drained"});
    CHECK(harness.persisted.size() == writes);

    list.dry_run = false;
    REQUIRE(harness.ask(list, harness.fresh_id())->result);
    harness.pass(8s);
    CHECK(running_beside_n1(harness) == 3);
    CHECK(harness["n1"].instances.empty());
    CHECK(harness.status().nodes == 3);
    CHECK(harness.node("n9").health == "lost");
    CHECK_FALSE(harness.ask(NodeShowRequest{"n1"})->result);
    harness.join("n9");
    CHECK(harness.status().serving == 3);
}

// Goal: the list decides a node's pool only while it names one.
// Method: an agent of one pool is listed in another, then without one, removed, and added again.
TEST_CASE("a node that is listed without a pool is in the pool of its agent",
          "[intents][inventory]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    Hello hello = CoordinatorHarness::hello_of(n1);
    hello.offer.pool = "own";
    hello.offer.labels = {{"rack", "r1"}};
    harness.give(FromAgent{n1.session, hello});
    harness.join("n2");
    const auto offer = [&] { return harness.read<NodeShowReply>(NodeShowRequest{"n1"}).offer; };
    const auto list = [&](const std::string& pool) {
        REQUIRE(
            harness.ask(NodeApplyRequest{{{.name = "n1", .pool = pool}, {.name = "n2"}}})->result);
        return offer().pool;
    };
    CHECK(offer().pool == "own");
    CHECK(list("fast") == "fast");
    const auto again = harness.ask(NodeAddRequest{{{.name = "n1", .pool = "slow"}}});
    REQUIRE(again->result);
    CHECK(std::get<NodesChangeReply>(*again->result).changes.front().detail ==
          "pool fast -> pool slow");
    CHECK(list("") == "own");
    CHECK(list("fast") == "fast");
    harness.give(FromAgent{n1.session, hello});
    CHECK(offer().pool == "fast");
    CHECK(list("") == "own");
    CHECK(offer().labels == hello.offer.labels);

    CHECK(list("fast") == "fast");
    REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n1", .force = true})->result);
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1"}}})->result);
    CHECK(offer().pool == default_pool);  // It has sent no report since.
    harness.give(FromAgent{n1.session, hello});
    CHECK(offer().pool == "own");
}

// Goal: instances in a pool are not stopped because its last node is listed in another pool.
// Method: a task of the pool has no other place, then it gets one.
TEST_CASE("instances on a node that is listed in another pool move when they have a place",
          "[intents][inventory]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.want("web", 1);
    harness.pass(5s);
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1", .pool = "other"}}})->result);
    harness.pass(10s);
    CHECK(harness["n1"].instances.size() == 1);
    harness.join("n2");
    harness.pass(10s);
    CHECK(harness["n1"].instances.empty());
    CHECK(harness["n2"].instances.size() == 1);
}

// Goal: nothing is started where its task must not run, even as a replacement in place.
// Method: a job has ended on a node that is then listed in another pool, and gets a new program.
TEST_CASE("a job that ended on a node that no longer suits is replaced elsewhere",
          "[intents][inventory]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    WantedTask job = CoordinatorHarness::wanted("job", 1);
    job.spec.restart.policy = RestartPolicy::never;
    harness.ask(TaskAddRequest{job});
    harness.pass(3s);
    n1.instances.at({"job", 0}).state = InstanceState::exited;
    n1.instances.at({"job", 0}).exit_code = 0;
    n1.revision = next(n1.revision);
    harness.pass(2s);
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1", .pool = "other"}}})->result);
    harness.join("n2");
    harness.pass(5s);
    CHECK(n1.instances.size() == 1);  // It stays ended.
    job.spec.argv.emplace_back("more");
    harness.ask(ApplyRequest{.tasks = {job}});
    harness.pass(5s);
    CHECK(n1.instances.empty());
    CHECK(harness["n2"].instances.size() == 1);
}

TEST_CASE("where nodes are listed only those can join", "[intents][inventory]") {
    CoordinatorOptions options;
    options.listed_only = true;
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    FakeAgent& stranger = harness.join("n1");
    CHECK(harness.status().nodes == 0);
    REQUIRE(stranger.refusals.size() == 1);
    CHECK(stranger.refusals.back().code == Errc::refused);
    CHECK_THAT(stranger.refusals.back().detail, Catch::Contains("muster node add n1"));
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1"}, {.name = "n2"}}})->result);
    harness.send_hello(stranger);
    CHECK(harness.status().serving == 1);
    harness.join("n2");
    REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n1"})->result);
    harness.pass(2s);
    CHECK(harness.status().nodes == 1);
    CHECK(harness.node("n2").listed);
    CHECK_THAT(stranger.refusals.back().detail, Catch::StartsWith("an operator removed n1; "));
    harness.send_hello(stranger);
    CHECK(harness.status().nodes == 1);
    // The list decides: nothing is kept of a name that is not on it.
    StoreImage image = CoordinatorHarness::empty_store();
    CHECK(harness.ask(NodeRemoveRequest{.pattern = "n9"})->result.error().code == Errc::not_found);
}

TEST_CASE("a listed name that has not come raises no alarm", "[intents][inventory]") {
    CoordinatorHarness harness;
    harness.join("n1");
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n9"}}})->result);
    harness.pass(5s);
    CHECK(harness.status().alarms.empty());
}

// Goal: a long list costs one row a name. Method: list a name; start a leadership from the stored
// rows.
TEST_CASE("a listed name that never joined has only a row of the list", "[intents][inventory]") {
    CoordinatorHarness harness;
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1"}}})->result);
    harness.pass(2s);
    CHECK(harness.happened("node.expected", "n1"));
    CHECK(harness.node("n1").note == "listed, and has not joined yet");
    for (const Persist& persist : harness.persisted) {
        for (const Write& write : persist.writes) {
            CHECK_FALSE(std::holds_alternative<StoredNode>(write));
        }
    }

    StoreImage image = CoordinatorHarness::empty_store();
    image.intents = {StoredIntent{.name = "n1", .admission = Admission::listed}};
    CoordinatorHarness next{image};
    CHECK(next.node("n1").health == "lost");
    CHECK_FALSE(next.happened("node.expected", "n1"));  // Published when it was listed.
    next.join("n1");
    next.pass(2s);
    CHECK(next.node("n1").health == "healthy");
}

TEST_CASE("a name that never joined is removed at once, and a list has its bound",
          "[intents][inventory]") {
    CoordinatorHarness harness;
    harness.join("n0");
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1"}, {.name = "n2", .pool = "fast"}}})->result);
    CHECK(harness.status().nodes == 3);
    CHECK(harness.node("n1").health == "lost");
    REQUIRE(harness.ask(NodeRemoveRequest{.pattern = "n[1-2]"})->result);
    CHECK(harness.status().nodes == 1);
    NodeAddRequest many;
    for (std::size_t i = 0; i < limits::nodes; ++i) {
        many.nodes.push_back({.name = "m" + std::to_string(i)});
    }
    CHECK(harness.ask(many)->result.error().code == Errc::too_large);
    CHECK(harness.status().nodes == 1);
}

// Goal: a change sees all earlier ones, confirmed or not.
// Method: lists, removals and decisions one after the other while the store confirms nothing.
TEST_CASE("a change of nodes sees the pending ones", "[intents][inventory][GO-15]") {
    CoordinatorOptions options;
    options.listed_only = GENERATE(false, true);
    CoordinatorHarness harness{CoordinatorHarness::empty_store(), options};
    harness.store_works = false;
    harness.request(NodeAddRequest{{{.name = "a"}, {.name = "b"}}});
    const Ticket off = harness.request(NodeOfflineRequest{.pattern = "b"});
    const Ticket list = harness.request(NodeApplyRequest{.nodes = {{.name = "c"}}, .force = true});
    const Ticket late = harness.request(NodeOfflineRequest{.pattern = "a"});
    const Ticket mercy = harness.request(NodeForgiveRequest{.pattern = "c"});
    harness.store_works = true;
    harness.confirm();
    CHECK(harness.reply_to(off)->result);
    CHECK(std::get<NodesChangeReply>(*harness.reply_to(list)->result).changes.size() == 3);
    CHECK(harness.reply_to(late)->result.error().code == Errc::not_found);
    CHECK(harness.reply_to(mercy)->result.error().code == Errc::refused);
    CHECK(harness.status().nodes == 1);
    CHECK(harness.node("c").intent == "active");

    harness.store_works = false;
    harness.request(NodeRemoveRequest{.pattern = "c", .force = true});
    const Ticket gone = harness.request(NodeOfflineRequest{.pattern = "c"});
    harness.request(NodeAddRequest{{{.name = "c"}}});
    const Ticket back = harness.request(NodeOfflineRequest{.pattern = "c"});
    harness.store_works = true;
    harness.confirm();
    CHECK(harness.reply_to(gone)->result.error().code == Errc::not_found);
    CHECK(harness.reply_to(back)->result);
    CHECK(harness.node("c").intent == "offline");
}

// Goal: reason and author are kept for every decision, also for one that cancels another.
// Method: a new name with a reason; a removal that an add cancels, with a reason and without.
TEST_CASE("the reason of an add is kept, also if it cancels a removal", "[intents][inventory]") {
    const Occasion bob{.reason = "it is mended", .author = "bob@desk"};
    CoordinatorHarness harness;
    start_three(harness);
    REQUIRE(harness.ask(NodeAddRequest{{{.name = "n9"}}, bob}, harness.fresh_id())->result);
    CHECK(harness.node("n9").reason == bob.reason);
    CHECK(harness.node("n9").author == bob.author);

    harness["n1"].obeys = false;
    const Occasion broken{.reason = "broken fan", .author = "ann@desk"};
    REQUIRE(
        harness.ask(NodeRemoveRequest{.pattern = "n1", .why = broken}, harness.fresh_id())->result);
    SECTION("with a reason") {
        REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1"}}, bob}, harness.fresh_id())->result);
        CHECK(harness.node("n1").reason == bob.reason);
        CHECK(harness.node("n1").author == bob.author);
    }
    SECTION("without one") {
        REQUIRE(harness.ask(NodeAddRequest{{{.name = "n1"}}}, harness.fresh_id())->result);
        CHECK(harness.node("n1").reason == broken.reason);
    }
    CHECK(harness.node("n1").intent == "draining");
    CHECK_FALSE(harness.read<NodeShowReply>(NodeShowRequest{"n1"}).drain.remove);
}
