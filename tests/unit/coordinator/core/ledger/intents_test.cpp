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
std::vector<StoredIntent> rows_in(const CoordinatorHarness& harness) {
    std::map<std::string, StoredIntent> rows;
    for (const Persist& persist : harness.persisted) {
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
    CoordinatorHarness harness;
    harness.join("n1");
    harness.join("n2");
    CHECK(harness.status().serving == 2);

    const RequestId id = harness.fresh_id();
    const auto reply = harness.ask(NodeOfflineRequest{"n1", ann}, id);
    CHECK(nodes_change_in(reply).changes ==
          std::vector{NodeChangeView{"n1", "offline", "active", "offline"}});
    NodeView n1 = harness.node("n1");
    CHECK(n1.intent == "offline");
    CHECK(n1.reason == "bad disk");
    CHECK(n1.author == "ann@desk");
    CHECK(n1.since == CoordinatorHarness::civil_start);
    CHECK(harness.status().serving == 1);
    CHECK(harness.happened("node.offline", "n1"));

    CHECK(harness.ask(NodeOfflineRequest{"n1", ann}, id) == reply);
    const std::vector<StoredIntent> rows = rows_in(harness);
    CHECK(rows.size() == 1);
    harness.pass(1s);
    const auto again = nodes_change_in(harness.ask(NodeOfflineRequest{"n1"}, harness.fresh_id()));
    CHECK(again.changes == std::vector{NodeChangeView{"n1", "unchanged", "offline", "offline"}});
    n1 = harness.node("n1");
    CHECK(n1.intent == "offline");
    CHECK(n1.reason == "bad disk");
    CHECK(n1.author == "ann@desk");
    CHECK(n1.since == CoordinatorHarness::civil_start);
    CHECK(rows_in(harness) == rows);
    CHECK(harness.status().nodes == 2);
    harness.want("web", 2);
    harness.pass(5s);
    CHECK(harness["n1"].instances.empty());

    const RequestId online = harness.fresh_id();
    const auto first = harness.ask(NodeOnlineRequest{"n1"}, online);
    CHECK(nodes_change_in(first).changes ==
          std::vector{NodeChangeView{"n1", "online", "offline", "active"}});
    const CivilMs since = harness.node("n1").since;
    CHECK(harness.ask(NodeOnlineRequest{"n1"}, online) == first);
    harness.pass(1s);
    const auto second = nodes_change_in(harness.ask(NodeOnlineRequest{"n1"}, harness.fresh_id()));
    CHECK(second.changes == std::vector{NodeChangeView{"n1", "unchanged", "active", "active"}});
    CHECK(harness.node("n1").intent == "active");
    CHECK(harness.node("n1").since == since);
    CHECK(harness.status().serving == 2);
    CHECK(harness.status().nodes == 2);
    harness.pass(5s);
    CHECK(harness["n1"].instances.size() == 1);
}

// Goal: online sets the intent, and does not affect the node's health.
// Method: an offline node falls silent, or its check fails, and it is online before that is over.
TEST_CASE("a node that is made online serves only once it is healthy", "[intents][SC-05]") {
    const bool is_silent = GENERATE(true, false);
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.ask(NodeOfflineRequest{"n1", ann});
    n1.answers = !is_silent;
    n1.host.readiness = is_silent ? Readiness::none : Readiness::failed;
    harness.pass(1min);
    REQUIRE(harness.node("n1").health == (is_silent ? "lost" : "unready"));
    harness.ask(NodeOnlineRequest{"n1"});
    harness.want("web", 2);
    harness.pass(2s);
    CHECK(harness.node("n1").intent == "active");
    CHECK(harness.status().serving == 1);
    CHECK(n1.batches.empty());
    n1.answers = true;
    n1.host.readiness = Readiness::none;
    harness.send_hello(n1);
    harness.pass(2s);
    CHECK(harness.status().serving == 2);
    CHECK(n1.instances.size() == 1);
}

// Goal: nothing that a node does changes its intent.
// Method: an offline node sends another hello, is lost, is forgotten by a new leadership, returns.
TEST_CASE("an offline node stays offline over every hello, loss and leadership",
          "[intents][SC-D2][SC-D16]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.ask(NodeOfflineRequest{"n1", ann});
    const CivilMs since = harness.node("n1").since;
    harness.send_hello(n1);
    CHECK(harness.status().nodes == 2);
    CHECK(harness.node("n1").intent == "offline");

    // By another connection: the old one belongs to no node any more.
    const Session old_session = n1.session;
    n1.session = Session{900};
    harness.send_hello(n1);
    CHECK(harness.status().nodes == 2);
    CHECK(harness.node("n1").intent == "offline");
    CHECK(harness.node("n1").reason == "bad disk");
    CHECK(harness.node("n1").since == since);
    CHECK(harness.status().unknown_senders == 0);
    harness.give(FromAgent{old_session, Departure{n1.incarnation}});
    CHECK(harness.status().unknown_senders == 1);
    CHECK(harness.node("n1").health == "healthy");

    n1.answers = false;
    harness.pass(1min);
    CHECK(harness.node("n1").health == "lost");
    n1.answers = true;
    n1.life = LifeId{7, 7};
    n1.incarnation = next(n1.incarnation);
    harness.give(SessionClosed{n1.session});
    harness.send_hello(n1);
    harness.pass(3s);
    CHECK(harness.node("n1").health == "healthy");
    CHECK(harness.node("n1").intent == "offline");
    CHECK(harness.status().serving == 1);

    StoreImage image = CoordinatorHarness::store_with(
        {CoordinatorHarness::stored("n1"), CoordinatorHarness::stored("n2")});
    image.intents = rows_in(harness);
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
    CoordinatorHarness harness{CoordinatorHarness::empty_store(),
                               {.loss = {.max_lost = 20s}, .version = "1.0"}};
    for (const char* const name : {"active", "offline", "there"}) {
        harness.join(name);
    }
    harness.ask(NodeOfflineRequest{"offline", ann});
    for (const char* const name : {"active", "offline"}) {
        FakeAgent& fake = harness[name];
        fake.answers = false;
        if (announces) {
            harness.give(FromAgent{fake.session, Departure{fake.incarnation}});
        }
    }
    harness.pass(10min);
    CHECK(harness.happened("node.forgotten", "active"));
    CHECK_FALSE(harness.happened("node.forgotten", "offline"));
    CHECK(harness.node("offline").health == "lost");
    CHECK(harness.node("offline").intent == "offline");
    CHECK(harness.node("offline").reason == "bad disk");

    for (const char* const name : {"active", "offline"}) {
        FakeAgent& fake = harness[name];
        fake.answers = true;
        fake.life = LifeId{harness.next_number++, 1};
        fake.incarnation = next(fake.incarnation);
        harness.give(SessionClosed{fake.session});
        fake.session = Session{harness.next_number++};
        harness.send_hello(fake);
    }
    harness.want("web", 3);
    harness.pass(5s);
    CHECK(harness["active"].instances.size() == 1);
    CHECK(harness["offline"].batches.empty());
    CHECK(harness.node("offline").health == "healthy");
    CHECK(harness.node("offline").intent == "offline");
    CHECK(harness.status().serving == 2);
}

// Goal: offline does not stop instances, and online shows the present state.
// Method: a node runs an instance, is made offline, the instance ends; then the node is online.
TEST_CASE("an end on an offline node is seen, and online shows it", "[intents][SC-D4]") {
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.join("n1");
    WantedTask job = CoordinatorHarness::wanted("job", 1);
    job.spec.restart.policy = RestartPolicy::never;
    harness.ask(TaskAddRequest{job});
    harness.pass(3s);
    REQUIRE(harness.running("job") == 1);
    harness.ask(NodeOfflineRequest{"n1"});
    harness.pass(3s);
    CHECK(harness.running("job") == 1);
    CHECK(n1.batches.size() == 1);

    n1.instances.at({"job", 0}).state = InstanceState::exited;
    n1.instances.at({"job", 0}).exit_code = 0;
    n1.revision = next(n1.revision);
    harness.pass(2s);
    CHECK(harness.status().exited == 1);
    harness.ask(NodeOnlineRequest{"n1"});
    harness.pass(2s);
    CHECK(harness.status().exited == 1);
    CHECK(harness.node("n1").instances == 0);
    CHECK(harness.status().serving == 1);
}

// Goal: requests about nodes are ordinary requests: answered, or refused as busy.
// Method: as many as can wait for the store, and one more.
TEST_CASE("offline and online wait for the store, and too many are refused as busy",
          "[intents][SC-D9]") {
    CoordinatorHarness harness;
    harness.join("n1");
    harness.store_works = false;
    for (std::size_t i = 0; i < limits::pending_changes; i += 2) {
        CHECK_FALSE(harness.ask(NodeOfflineRequest{"n1"}));
        CHECK_FALSE(harness.ask(NodeOnlineRequest{"n1"}));
    }
    CHECK(harness.node("n1").intent == "active");
    CHECK(refusal_in(harness.ask(NodeOfflineRequest{"n1"})).code == Errc::busy);
    harness.confirm();
    harness.give(Wake{});  // More than one step applies them.
    CHECK(harness.node("n1").intent == "active");
    harness.store_works = true;
    CHECK(nodes_change_in(harness.ask(NodeOfflineRequest{"n1"})).changes.front().action ==
          "offline");
}

// Goal: bad input is refused whole, with a sentence.
// Method: one request for each rule; check the store.
TEST_CASE("an invalid request about nodes is refused whole", "[intents]") {
    CoordinatorHarness harness;
    harness.join("n1");
    const std::size_t writes = harness.persisted.size();
    CHECK(refusal_in(harness.ask(NodeOfflineRequest{"nobody"})).detail ==
          "no node matches 'nobody'; see 'muster node list'");
    CHECK(refusal_in(harness.ask(NodeOfflineRequest{"n[3-1]"})).code == Errc::invalid);
    const Occasion colours{.reason = "\x1b[31mred"};
    CHECK(refusal_in(harness.ask(NodeOfflineRequest{"n1", colours})).detail ==
          "the reason has control characters, for example marks of the direction of writing, or "
          "bytes that "
          "are not UTF-8; it is one line of text");
    const Occasion forged{.reason = "", .author = "ann\nbob"};
    CHECK(refusal_in(harness.ask(NodeDrainRequest{.pattern = "n1", .force = true, .why = forged}))
              .code == Errc::invalid);
    const Occasion endless{.reason = std::string(limits::detail_bytes + 1, 'x')};
    CHECK(refusal_in(harness.ask(NodeOnlineRequest{"n1", endless})).code == Errc::invalid);
    CHECK(refusal_in(harness.ask(NodeAddRequest{{{.name = "n5"}}, colours})).code == Errc::invalid);
    CHECK(refusal_in(harness.ask(NodeAddRequest{{{.name = "n\x1b"}}})).code == Errc::invalid);
    CHECK(refusal_in(harness.ask(NodeAddRequest{{{.name = "n5", .pool = "A b"}}})).code ==
          Errc::invalid);
    CHECK(refusal_in(harness.ask(NodeApplyRequest{{{.name = "n5"}, {.name = "n5"}}})).detail ==
          "node 'n5' is named twice; name it once");
    CHECK(harness.persisted.size() == writes);
    CHECK(harness.status().nodes == 1);
}

// Goal: rows of a node do not outlive it. Method: a node is active again with a reason, which is
// all that its row has; then it is lost, and forgotten.
TEST_CASE("the reason of a node's last decision is forgotten with the node",
          "[intents][nodes][durable]") {
    CoordinatorHarness harness{
        CoordinatorHarness::empty_store(),
        {.loss = {.after = 3, .silent_after = 2, .max_lost = 60s}, .version = "1.0"}};
    FakeAgent& n1 = harness.join("n1");
    harness.join("n2");
    harness.pass(2s);
    REQUIRE(harness.ask(NodeOfflineRequest{"n1"})->result);
    const Occasion mended{.reason = "mended", .author = "ann@desk"};
    REQUIRE(harness.ask(NodeOnlineRequest{"n1", mended})->result);
    CHECK(harness.node("n1").reason == "mended");
    n1.answers = false;
    harness.pass(90s);
    CHECK(harness.status().nodes == 1);
    const auto erases_intent = [](const Persist& persist) {
        return std::ranges::any_of(persist.writes, [](const Write& write) {
            const auto* const erased = std::get_if<Erase<StoredIntent>>(&write);
            return erased != nullptr && erased->name == "n1";
        });
    };
    CHECK(std::ranges::any_of(harness.persisted, erases_intent));
    n1.answers = true;
    n1.incarnation = next(n1.incarnation);
    harness.send_hello(n1);
    CHECK(harness.node("n1").reason.empty());
}
