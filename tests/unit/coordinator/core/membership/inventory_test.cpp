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
void start_three(CoordinatorHarness& bench) {
    for (const char* name : {"n0", "n1", "n2"}) {
        bench.join(name);
    }
    bench.ask(ApplyRequest{.tasks = {CoordinatorHarness::wanted("t0", 1),
                                     CoordinatorHarness::wanted("t1", 1),
                                     CoordinatorHarness::wanted("t2", 1)}},
              bench.fresh_id());
    bench.pass(5s);
    REQUIRE(bench["n1"].instances.size() == 1);
}

std::size_t running_beside_n1(CoordinatorHarness& bench) {
    return bench["n0"].instances.size() + bench["n2"].instances.size();
}

}  // namespace

// Goal: a removed node is drained first, then gone, and refused until it is added again.
// Method: remove one of three, send another hello, add it again.
TEST_CASE("a node is removed once it is drained, and cannot join before it is added",
          "[intents][inventory][GO-12]") {
    CoordinatorHarness bench;
    start_three(bench);
    const auto reply = bench.ask(NodeRemoveRequest{.pattern = "n1"}, bench.fresh_id());
    REQUIRE(reply->result);
    CHECK(std::get<NodesChangeReply>(*reply->result).changes.front().action == "drain");
    bench.pass(8s);
    CHECK(bench.status().nodes == 2);
    CHECK(running_beside_n1(bench) == 3);
    CHECK(bench["n1"].instances.empty());
    CHECK(bench.happened("node.removed", "n1"));
    REQUIRE_FALSE(bench["n1"].refusals.empty());
    CHECK(bench["n1"].refusals.back().code == Errc::refused);

    const std::size_t batches = bench["n1"].batches.size();
    const std::size_t polls = bench["n1"].polls.size();
    bench.send_hello(bench["n1"]);
    bench.pass(5s);
    CHECK(bench["n1"].batches.size() == batches);
    CHECK(bench["n1"].polls.size() == polls);
    CHECK(bench.status().nodes == 2);
    const auto unknown = bench.ask(NodeOfflineRequest{"n1"});
    REQUIRE_FALSE(unknown->result);
    CHECK(unknown->result.error().detail ==
          "node 'n1' was removed; 'muster node add n1' lets it join again");

    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1"}}})->result);
    bench.send_hello(bench["n1"]);
    bench.pass(5s);
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.status().serving == 3);
}

TEST_CASE("a forced removal acts at once, and the node's instances start elsewhere",
          "[intents][inventory][GO-12]") {
    CoordinatorHarness bench;
    start_three(bench);
    const std::size_t batches = bench["n1"].batches.size();
    REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n1", .force = true})->result);
    CHECK(bench.status().nodes == 2);
    bench.pass(5s);
    CHECK(running_beside_n1(bench) == 3);
    CHECK(bench["n1"].batches.size() == batches);
    CHECK(tasks_on(bench["n1"]) == "t1 ");  // Its agent got no order to stop anything.

    // The store has the node's row and the row of its intent.
    bool erased = false;
    for (const Persist& persist : bench.persisted) {
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
    CoordinatorHarness bench;
    start_three(bench);
    NodeApplyRequest list{.nodes = {{.name = "n0"}, {.name = "n2"}, {.name = "n9"}},
                          .dry_run = true};
    const std::size_t writes = bench.persisted.size();
    const auto shown = std::get<NodesChangeReply>(*bench.ask(list)->result);
    CHECK(shown.dry_run);
    REQUIRE(shown.changes.size() == 4);
    CHECK(shown.changes[0] == NodeChangeView{"n0", "add", "active", "active"});
    CHECK(shown.changes[2] == NodeChangeView{"n9", "add", "active", "active"});
    CHECK(shown.changes[3] ==
          NodeChangeView{"n1", "drain", "active", "draining", "it is removed once it is drained"});
    CHECK(bench.persisted.size() == writes);

    list.dry_run = false;
    REQUIRE(bench.ask(list, bench.fresh_id())->result);
    bench.pass(8s);
    CHECK(running_beside_n1(bench) == 3);
    CHECK(bench["n1"].instances.empty());
    CHECK(bench.status().nodes == 3);
    CHECK(bench.node("n9").health == "lost");
    CHECK_FALSE(bench.ask(NodeShowRequest{"n1"})->result);
    bench.join("n9");
    CHECK(bench.status().serving == 3);
}

// Goal: the list decides a node's pool only while it names one.
// Method: an agent of one pool is listed in another, then without one, removed, and added again.
TEST_CASE("a node that is listed without a pool is in the pool of its agent",
          "[intents][inventory]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.add("n1");
    Hello hello = CoordinatorHarness::hello_of(n1);
    hello.offer.pool = "own";
    hello.offer.labels = {{"rack", "r1"}};
    bench.give(FromAgent{n1.session, hello});
    bench.join("n2");
    const auto offer = [&] { return bench.read<NodeShowReply>(NodeShowRequest{"n1"}).offer; };
    const auto list = [&](const std::string& pool) {
        REQUIRE(
            bench.ask(NodeApplyRequest{{{.name = "n1", .pool = pool}, {.name = "n2"}}})->result);
        return offer().pool;
    };
    CHECK(offer().pool == "own");
    CHECK(list("fast") == "fast");
    const auto again = bench.ask(NodeAddRequest{{{.name = "n1", .pool = "slow"}}});
    REQUIRE(again->result);
    CHECK(std::get<NodesChangeReply>(*again->result).changes.front().detail ==
          "pool fast -> pool slow");
    CHECK(list("") == "own");
    CHECK(list("fast") == "fast");
    bench.give(FromAgent{n1.session, hello});
    CHECK(offer().pool == "fast");
    CHECK(list("") == "own");
    CHECK(offer().labels == hello.offer.labels);

    CHECK(list("fast") == "fast");
    REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n1", .force = true})->result);
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1"}}})->result);
    CHECK(offer().pool == default_pool);  // It has sent no report since.
    bench.give(FromAgent{n1.session, hello});
    CHECK(offer().pool == "own");
}

// Goal: instances in a pool are not stopped because its last node is listed in another pool.
// Method: a task of the pool has no other place, then it gets one.
TEST_CASE("instances on a node that is listed in another pool move when they have a place",
          "[intents][inventory]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.want("web", 1);
    bench.pass(5s);
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1", .pool = "other"}}})->result);
    bench.pass(10s);
    CHECK(bench["n1"].instances.size() == 1);
    bench.join("n2");
    bench.pass(10s);
    CHECK(bench["n1"].instances.empty());
    CHECK(bench["n2"].instances.size() == 1);
}

// Goal: nothing is started where its task must not run, even as a replacement in place.
// Method: a job has ended on a node that is then listed in another pool, and gets a new program.
TEST_CASE("a job that ended on a node that no longer suits is replaced elsewhere",
          "[intents][inventory]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    WantedTask job = CoordinatorHarness::wanted("job", 1);
    job.spec.restart.policy = RestartPolicy::never;
    bench.ask(TaskAddRequest{job});
    bench.pass(3s);
    n1.instances.at({"job", 0}).state = InstanceState::exited;
    n1.instances.at({"job", 0}).exit_code = 0;
    n1.revision = next(n1.revision);
    bench.pass(2s);
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1", .pool = "other"}}})->result);
    bench.join("n2");
    bench.pass(5s);
    CHECK(n1.instances.size() == 1);  // It stays ended.
    job.spec.argv.emplace_back("more");
    bench.ask(ApplyRequest{.tasks = {job}});
    bench.pass(5s);
    CHECK(n1.instances.empty());
    CHECK(bench["n2"].instances.size() == 1);
}

TEST_CASE("where nodes are listed only those can join", "[intents][inventory]") {
    CoordinatorOptions options;
    options.listed_only = true;
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), options};
    FakeAgent& stranger = bench.join("n1");
    CHECK(bench.status().nodes == 0);
    REQUIRE(stranger.refusals.size() == 1);
    CHECK(stranger.refusals.back().code == Errc::refused);
    CHECK_THAT(stranger.refusals.back().detail, Catch::Contains("muster node add n1"));
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1"}, {.name = "n2"}}})->result);
    bench.send_hello(stranger);
    CHECK(bench.status().serving == 1);
    bench.join("n2");
    REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n1"})->result);
    bench.pass(2s);
    CHECK(bench.status().nodes == 1);
    CHECK(bench.node("n2").listed);
    CHECK_THAT(stranger.refusals.back().detail, Catch::StartsWith("an operator removed n1; "));
    bench.send_hello(stranger);
    CHECK(bench.status().nodes == 1);
    // The list decides: nothing is kept of a name that is not on it.
    StoreImage image = CoordinatorHarness::empty_store();
    CHECK(bench.ask(NodeRemoveRequest{.pattern = "n9"})->result.error().code == Errc::not_found);
}

TEST_CASE("a listed name that has not come raises no alarm", "[intents][inventory]") {
    CoordinatorHarness bench;
    bench.join("n1");
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n9"}}})->result);
    bench.pass(5s);
    CHECK(bench.status().alarms.empty());
}

// Goal: a long list costs one row a name. Method: list a name; start a leadership from the stored
// rows.
TEST_CASE("a listed name that never joined has only a row of the list", "[intents][inventory]") {
    CoordinatorHarness bench;
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1"}}})->result);
    bench.pass(2s);
    CHECK(bench.happened("node.expected", "n1"));
    CHECK(bench.node("n1").note == "listed, and has not joined yet");
    for (const Persist& persist : bench.persisted) {
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
    CoordinatorHarness bench;
    bench.join("n0");
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1"}, {.name = "n2", .pool = "fast"}}})->result);
    CHECK(bench.status().nodes == 3);
    CHECK(bench.node("n1").health == "lost");
    REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n[1-2]"})->result);
    CHECK(bench.status().nodes == 1);
    NodeAddRequest many;
    for (std::size_t i = 0; i < limits::nodes; ++i) {
        many.nodes.push_back({.name = "m" + std::to_string(i)});
    }
    CHECK(bench.ask(many)->result.error().code == Errc::too_large);
    CHECK(bench.status().nodes == 1);
}

// Goal: a change sees all earlier ones, confirmed or not.
// Method: lists, removals and decisions one after the other while the store confirms nothing.
TEST_CASE("a change of nodes sees the pending ones", "[intents][inventory][GO-15]") {
    CoordinatorOptions options;
    options.listed_only = GENERATE(false, true);
    CoordinatorHarness bench{CoordinatorHarness::empty_store(), options};
    bench.store_works = false;
    bench.request(NodeAddRequest{{{.name = "a"}, {.name = "b"}}});
    const Ticket off = bench.request(NodeOfflineRequest{.pattern = "b"});
    const Ticket list = bench.request(NodeApplyRequest{.nodes = {{.name = "c"}}, .force = true});
    const Ticket late = bench.request(NodeOfflineRequest{.pattern = "a"});
    const Ticket mercy = bench.request(NodeForgiveRequest{.pattern = "c"});
    bench.store_works = true;
    bench.confirm();
    CHECK(bench.reply_to(off)->result);
    CHECK(std::get<NodesChangeReply>(*bench.reply_to(list)->result).changes.size() == 3);
    CHECK(bench.reply_to(late)->result.error().code == Errc::not_found);
    CHECK(bench.reply_to(mercy)->result.error().code == Errc::refused);
    CHECK(bench.status().nodes == 1);
    CHECK(bench.node("c").intent == "active");

    bench.store_works = false;
    bench.request(NodeRemoveRequest{.pattern = "c", .force = true});
    const Ticket gone = bench.request(NodeOfflineRequest{.pattern = "c"});
    bench.request(NodeAddRequest{{{.name = "c"}}});
    const Ticket back = bench.request(NodeOfflineRequest{.pattern = "c"});
    bench.store_works = true;
    bench.confirm();
    CHECK(bench.reply_to(gone)->result.error().code == Errc::not_found);
    CHECK(bench.reply_to(back)->result);
    CHECK(bench.node("c").intent == "offline");
}

// Goal: reason and author are kept for every decision, also for one that cancels another.
// Method: a new name with a reason; a removal that an add cancels, with a reason and without.
TEST_CASE("the reason of an add is kept, also if it cancels a removal", "[intents][inventory]") {
    const Occasion bob{.reason = "it is mended", .author = "bob@desk"};
    CoordinatorHarness bench;
    start_three(bench);
    REQUIRE(bench.ask(NodeAddRequest{{{.name = "n9"}}, bob}, bench.fresh_id())->result);
    CHECK(bench.node("n9").reason == bob.reason);
    CHECK(bench.node("n9").author == bob.author);

    bench["n1"].obeys = false;
    const Occasion broken{.reason = "broken fan", .author = "ann@desk"};
    REQUIRE(bench.ask(NodeRemoveRequest{.pattern = "n1", .why = broken}, bench.fresh_id())->result);
    SECTION("with a reason") {
        REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1"}}, bob}, bench.fresh_id())->result);
        CHECK(bench.node("n1").reason == bob.reason);
        CHECK(bench.node("n1").author == bob.author);
    }
    SECTION("without one") {
        REQUIRE(bench.ask(NodeAddRequest{{{.name = "n1"}}}, bench.fresh_id())->result);
        CHECK(bench.node("n1").reason == broken.reason);
    }
    CHECK(bench.node("n1").intent == "draining");
    CHECK_FALSE(bench.read<NodeShowReply>(NodeShowRequest{"n1"}).drain.remove);
}
