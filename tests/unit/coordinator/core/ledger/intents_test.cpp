#include <algorithm>
#include <variant>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

NodesChangeReply nodes_change_in(const std::optional<Reply>& reply) {
    REQUIRE(reply);
    REQUIRE(reply->result);
    return std::get<NodesChangeReply>(*reply->result);
}

Error refusal_in(const std::optional<Reply>& reply) {
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    return reply->result.error();
}

const Occasion ann{.reason = "bad disk", .author = "ann@desk"};

/// The store's rows after all writes.
std::vector<StoredIntent> rows_in(const CoordinatorHarness& bench) {
    std::map<std::string, StoredIntent> rows;
    for (const Persist& persist : bench.persisted) {
        for (const Write& write : persist.writes) {
            if (const auto* row = std::get_if<Shared<StoredIntent>>(&write)) {
                rows.insert_or_assign((*row)->name, **row);
            } else if (const auto* erased = std::get_if<Erase<StoredIntent>>(&write)) {
                rows.erase(erased->name);
            }
        }
    }
    std::vector<StoredIntent> list;
    list.reserve(rows.size());
    for (const auto& [name, row] : rows) {
        list.push_back(row);
    }
    return list;
}

}  // namespace

// Goal: an operator takes a node out of work and gives it back; repeating a request changes
// nothing.
// Method: offline, twice; online, twice; check the record, the answer and the store each time.
TEST_CASE("an offline node gets no work until an operator says online",
          "[intents][SC-04][SC-05][SC-06][SC-07]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.join("n2");
    CHECK(bench.status().serving == 2);

    const RequestId id = bench.fresh_id();
    const auto reply = bench.ask(NodeOfflineRequest{"n1", ann}, id);
    CHECK(nodes_change_in(reply).changes ==
          std::vector{NodeChangeView{"n1", "offline", "active", "offline"}});
    NodeView n1 = bench.node("n1");
    CHECK(n1.intent == "offline");
    CHECK(n1.reason == "bad disk");
    CHECK(n1.author == "ann@desk");
    CHECK(n1.since == CoordinatorHarness::civil_start);
    CHECK(bench.status().serving == 1);
    CHECK(bench.happened("node.offline", "n1"));

    CHECK(bench.ask(NodeOfflineRequest{"n1", ann}, id) == reply);
    const std::vector<StoredIntent> rows = rows_in(bench);
    CHECK(rows.size() == 1);
    bench.pass(1s);
    const auto again = nodes_change_in(bench.ask(NodeOfflineRequest{"n1"}, bench.fresh_id()));
    CHECK(again.changes == std::vector{NodeChangeView{"n1", "unchanged", "offline", "offline"}});
    n1 = bench.node("n1");
    CHECK(n1.intent == "offline");
    CHECK(n1.reason == "bad disk");
    CHECK(n1.author == "ann@desk");
    CHECK(n1.since == CoordinatorHarness::civil_start);
    CHECK(rows_in(bench) == rows);
    CHECK(bench.status().nodes == 2);
    bench.want("web", 2);
    bench.pass(5s);
    CHECK(bench["n1"].instances.empty());

    const RequestId online = bench.fresh_id();
    const auto first = bench.ask(NodeOnlineRequest{"n1"}, online);
    CHECK(nodes_change_in(first).changes ==
          std::vector{NodeChangeView{"n1", "online", "offline", "active"}});
    const CivilMs since = bench.node("n1").since;
    CHECK(bench.ask(NodeOnlineRequest{"n1"}, online) == first);
    bench.pass(1s);
    const auto second = nodes_change_in(bench.ask(NodeOnlineRequest{"n1"}, bench.fresh_id()));
    CHECK(second.changes == std::vector{NodeChangeView{"n1", "unchanged", "active", "active"}});
    CHECK(bench.node("n1").intent == "active");
    CHECK(bench.node("n1").since == since);
    CHECK(bench.status().serving == 2);
    CHECK(bench.status().nodes == 2);
    bench.pass(5s);
    CHECK(bench["n1"].instances.size() == 1);
}

// Goal: online sets the intent, and does not affect the node's health.
// Method: an offline node falls silent, or its check fails, and it is online before that is over.
TEST_CASE("a node that is made online serves only once it is healthy", "[intents][SC-05]") {
    const bool is_silent = GENERATE(true, false);
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.join("n2");
    bench.ask(NodeOfflineRequest{"n1", ann});
    n1.answers = !is_silent;
    n1.host.readiness = is_silent ? Readiness::none : Readiness::failed;
    bench.pass(1min);
    REQUIRE(bench.node("n1").health == (is_silent ? "lost" : "unready"));
    bench.ask(NodeOnlineRequest{"n1"});
    bench.want("web", 2);
    bench.pass(2s);
    CHECK(bench.node("n1").intent == "active");
    CHECK(bench.status().serving == 1);
    CHECK(n1.batches.empty());
    n1.answers = true;
    n1.host.readiness = Readiness::none;
    bench.send_hello(n1);
    bench.pass(2s);
    CHECK(bench.status().serving == 2);
    CHECK(n1.instances.size() == 1);
}

// Goal: nothing that a node does changes its intent.
// Method: an offline node sends another hello, is lost, is forgotten by a new leadership, returns.
TEST_CASE("an offline node stays offline over every hello, loss and leadership",
          "[intents][SC-D2][SC-D16]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    bench.join("n2");
    bench.ask(NodeOfflineRequest{"n1", ann});
    const CivilMs since = bench.node("n1").since;
    bench.send_hello(n1);
    CHECK(bench.status().nodes == 2);
    CHECK(bench.node("n1").intent == "offline");

    // By another connection: the old one belongs to no node any more.
    const Session old_session = n1.session;
    n1.session = Session{900};
    bench.send_hello(n1);
    CHECK(bench.status().nodes == 2);
    CHECK(bench.node("n1").intent == "offline");
    CHECK(bench.node("n1").reason == "bad disk");
    CHECK(bench.node("n1").since == since);
    CHECK(bench.status().unknown_senders == 0);
    bench.give(FromAgent{old_session, Departure{n1.incarnation}});
    CHECK(bench.status().unknown_senders == 1);
    CHECK(bench.node("n1").health == "healthy");

    n1.answers = false;
    bench.pass(1min);
    CHECK(bench.node("n1").health == "lost");
    n1.answers = true;
    n1.life = LifeId{7, 7};
    n1.incarnation = next(n1.incarnation);
    bench.give(SessionClosed{n1.session});
    bench.send_hello(n1);
    bench.pass(3s);
    CHECK(bench.node("n1").health == "healthy");
    CHECK(bench.node("n1").intent == "offline");
    CHECK(bench.status().serving == 1);

    StoreImage image = CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")});
    image.intents = rows_in(bench);
    CoordinatorHarness next_leader{image};
    next_leader.join("n1");
    next_leader.join("n2");
    CHECK(next_leader.node("n1").intent == "offline");
    CHECK(next_leader.node("n1").reason == "bad disk");
    CHECK(next_leader.status().serving == 1);
}

// Goal: an intent outlasts the time for which lost nodes are kept.
// Method: an offline node and an active one are away for much longer than that, silently or after a
// departure; then both return.
TEST_CASE("an offline node that was away for longer than lost nodes are kept is still offline",
          "[intents][SC-D16]") {
    const bool announces = GENERATE(false, true);
    CoordinatorHarness bench{CoordinatorHarness::empty_store(),
                             {.loss = {.max_lost = 20s}, .version = "1.0"}};
    for (const char* const name : {"active", "offline", "there"}) {
        bench.join(name);
    }
    bench.ask(NodeOfflineRequest{"offline", ann});
    for (const char* const name : {"active", "offline"}) {
        FakeAgent& fake = bench[name];
        fake.answers = false;
        if (announces) {
            bench.give(FromAgent{fake.session, Departure{fake.incarnation}});
        }
    }
    bench.pass(10min);
    CHECK(bench.happened("node.forgotten", "active"));
    CHECK_FALSE(bench.happened("node.forgotten", "offline"));
    CHECK(bench.node("offline").health == "lost");
    CHECK(bench.node("offline").intent == "offline");
    CHECK(bench.node("offline").reason == "bad disk");

    for (const char* const name : {"active", "offline"}) {
        FakeAgent& fake = bench[name];
        fake.answers = true;
        fake.life = LifeId{bench.next_number++, 1};
        fake.incarnation = next(fake.incarnation);
        bench.give(SessionClosed{fake.session});
        fake.session = Session{bench.next_number++};
        bench.send_hello(fake);
    }
    bench.want("web", 3);
    bench.pass(5s);
    CHECK(bench["active"].instances.size() == 1);
    CHECK(bench["offline"].batches.empty());
    CHECK(bench.node("offline").health == "healthy");
    CHECK(bench.node("offline").intent == "offline");
    CHECK(bench.status().serving == 2);
}

// Goal: offline does not stop instances, and online shows the present state.
// Method: a node runs an instance, is made offline, the instance ends; then the node is online.
TEST_CASE("an end on an offline node is seen, and online shows it", "[intents][SC-D4]") {
    CoordinatorHarness bench;
    FakeAgent& n1 = bench.join("n1");
    WantedTask job = CoordinatorHarness::wanted("job", 1);
    job.spec.restart.policy = RestartPolicy::never;
    bench.ask(TaskAddRequest{job});
    bench.pass(3s);
    REQUIRE(bench.running("job") == 1);
    bench.ask(NodeOfflineRequest{"n1"});
    bench.pass(3s);
    CHECK(bench.running("job") == 1);
    CHECK(n1.batches.size() == 1);

    n1.instances.at({"job", 0}).state = InstanceState::exited;
    n1.instances.at({"job", 0}).exit_code = 0;
    n1.revision = next(n1.revision);
    bench.pass(2s);
    CHECK(bench.status().exited == 1);
    bench.ask(NodeOnlineRequest{"n1"});
    bench.pass(2s);
    CHECK(bench.status().exited == 1);
    CHECK(bench.node("n1").instances == 1);
    CHECK(bench.status().serving == 1);
}

// Goal: requests about nodes are ordinary requests: answered, or refused as busy.
// Method: as many as can wait for the store, and one more.
TEST_CASE("offline and online wait for the store, and too many are refused as busy",
          "[intents][SC-D9]") {
    CoordinatorHarness bench;
    bench.join("n1");
    bench.store_works = false;
    for (std::size_t i = 0; i < limits::pending_changes; i += 2) {
        CHECK_FALSE(bench.ask(NodeOfflineRequest{"n1"}));
        CHECK_FALSE(bench.ask(NodeOnlineRequest{"n1"}));
    }
    CHECK(bench.node("n1").intent == "active");
    CHECK(refusal_in(bench.ask(NodeOfflineRequest{"n1"})).code == Errc::busy);
    bench.confirm();
    bench.give(Wake{});  // More than one step applies them.
    CHECK(bench.node("n1").intent == "active");
    bench.store_works = true;
    CHECK(nodes_change_in(bench.ask(NodeOfflineRequest{"n1"})).changes.front().action == "offline");
}

// Goal: bad input is refused whole, with a sentence.
// Method: one request for each rule; check the store.
TEST_CASE("an invalid request about nodes is refused whole", "[intents]") {
    CoordinatorHarness bench;
    bench.join("n1");
    const std::size_t writes = bench.persisted.size();
    CHECK(refusal_in(bench.ask(NodeOfflineRequest{"nobody"})).detail ==
          "no node matches 'nobody'; see 'muster node list'");
    CHECK(refusal_in(bench.ask(NodeOfflineRequest{"n[3-1]"})).code == Errc::invalid);
    const Occasion colours{.reason = "\x1b[31mred"};
    CHECK(refusal_in(bench.ask(NodeOfflineRequest{"n1", colours})).detail ==
          "the reason has control characters, for example marks of the direction of writing, or "
          "bytes that "
          "are not UTF-8; it is one line of text");
    const Occasion forged{.reason = "", .author = "ann\nbob"};
    CHECK(refusal_in(bench.ask(NodeDrainRequest{.pattern = "n1", .force = true, .why = forged}))
              .code == Errc::invalid);
    const Occasion endless{.reason = std::string(limits::detail_bytes + 1, 'x')};
    CHECK(refusal_in(bench.ask(NodeOnlineRequest{"n1", endless})).code == Errc::invalid);
    CHECK(refusal_in(bench.ask(NodeAddRequest{{{.name = "n5"}}, colours})).code == Errc::invalid);
    CHECK(refusal_in(bench.ask(NodeAddRequest{{{.name = "n\x1b"}}})).code == Errc::invalid);
    CHECK(refusal_in(bench.ask(NodeAddRequest{{{.name = "n5", .pool = "A b"}}})).code ==
          Errc::invalid);
    CHECK(refusal_in(bench.ask(NodeApplyRequest{{{.name = "n5"}, {.name = "n5"}}})).detail ==
          "node 'n5' is named twice; name it once");
    CHECK(bench.persisted.size() == writes);
    CHECK(bench.status().nodes == 1);
}

// Goal: rows of a node do not outlive it. Method: a node is active again with a reason, which is
// all that its row has; then it is lost, and forgotten.
TEST_CASE("the reason of a node's last decision is forgotten with the node",
          "[intents][nodes][durable]") {
    CoordinatorHarness bench{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = bench.join("n1");
    bench.join("n2");
    bench.pass(2s);
    REQUIRE(bench.ask(NodeOfflineRequest{"n1"})->result);
    const Occasion mended{.reason = "mended", .author = "ann@desk"};
    REQUIRE(bench.ask(NodeOnlineRequest{"n1", mended})->result);
    CHECK(bench.node("n1").reason == "mended");
    n1.answers = false;
    bench.pass(90s);
    CHECK(bench.status().nodes == 1);
    const auto erases_intent = [](const Persist& persist) {
        return std::ranges::any_of(persist.writes, [](const Write& write) {
            const auto* const erased = std::get_if<Erase<StoredIntent>>(&write);
            return erased != nullptr && erased->name == "n1";
        });
    };
    CHECK(std::ranges::any_of(bench.persisted, erases_intent));
    n1.answers = true;
    n1.incarnation = next(n1.incarnation);
    bench.send_hello(n1);
    CHECK(bench.node("n1").reason.empty());
}
