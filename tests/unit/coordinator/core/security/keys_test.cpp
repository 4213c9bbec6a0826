#include <array>
#include <string>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "common/codec/verb_table.hpp"
#include "common/crypto/hash.hpp"
#include "common/crypto/random_key.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {}  // namespace

// Goal: no role reaches a handler that its verbs do not allow (S19).
// Method: the example of every verb in the table, sent by every role and by strangers; a request is
// denied exactly if its row says so.
TEST_CASE("each role may send the verbs of its rows and no others [A8]", "[keys][S19]") {
    Keyed keyed;
    const std::array callers{
        keyed.admit("web-7", Role::agent, 1), keyed.admit("olga", Role::observer, 2),
        keyed.admit("otto", Role::operator_, 3), keyed.admit("ada", Role::admin, 4)};
    std::size_t allowed = 0;
    for (const codec::Verb& verb : codec::verb_rows) {
        INFO(verb.name);
        const auto request = verb.example.starts_with('{') ? codec::request_from_json(verb.example)
                                                           : codec::request_from_text(verb.example);
        REQUIRE(request);
        for (std::size_t role = 0; role < callers.size(); ++role) {
            INFO(role);
            const bool may = static_cast<Role>(role) >= verb.role && verb.role != Role::agent;
            const auto judged =
                keyed.harness.coordinator.may_send(keyed.harness.now, callers[role], request->body);
            CHECK(judged.has_value() == may);
            CHECK((judged || judged.error().code == Errc::denied));
            allowed += may ? 1U : 0U;
            // The core judges again what the shell hands to it.
            if (const auto core = for_core(*request); core && !may) {
                CHECK(code_of(keyed.ask(callers[role], core->body)) == Errc::denied);
            }
        }
        for (const Caller& stranger : {Caller{}, Caller{.key = some_key(99)}}) {
            CHECK_FALSE(
                keyed.harness.coordinator.may_send(keyed.harness.now, stranger, request->body));
        }
        const auto by_host =
            keyed.harness.coordinator.may_send(keyed.harness.now, enrolling(50), request->body);
        CHECK(by_host.has_value() == (verb.role == Role::agent));
    }
    CHECK(allowed > codec::verb_rows.size());
}

// Goal: an agent speaks for its own name only (S18), whatever it claims.
// Method: hellos with the key of another agent, of an operator, with an unknown key and without
// one.
TEST_CASE("an agent joins under the name of its key only [A4][A5]", "[keys][S18]") {
    Keyed keyed;
    const Caller web_key = keyed.admit("web-7", Role::agent, web);
    const Caller other_key = keyed.admit("web-8", Role::agent, 8);
    const Caller ada = keyed.admit("ada", Role::admin, 9);
    CHECK(keyed.hello("web-7", other_key) == Errc::denied);
    CHECK(keyed.hello("web-7", ada) == Errc::denied);
    CHECK(keyed.hello("ada", ada) == Errc::denied);
    CHECK(keyed.hello("web-7", {.key = some_key(99)}) == Errc::denied);
    CHECK(keyed.hello("web-7", {}) == Errc::denied);
    CHECK(keyed.hello("web-7", {.is_local = true}) == Errc::denied);
    CHECK(keyed.harness.status().nodes == 0);
    CHECK(keyed.hello("web-7", web_key) == std::nullopt);
    CHECK(keyed.harness.status().nodes == 1);
    // The session of web-7 stays where it is when another comes.
    CHECK(keyed.hello("web-8", web_key) == Errc::denied);
    CHECK(keyed.harness.node("web-7").health == "healthy");
}

// Goal: a revoked key is cut off by its next message, agents and operators.
// Method: revoke keys in use; then send what was allowed a moment before.
TEST_CASE("a revoked key commands and reports nothing more [A11]", "[keys]") {
    Keyed keyed;
    const Caller web_key = keyed.admit("web-7", Role::agent, web);
    const Caller otto = keyed.admit("otto", Role::operator_, 3);
    REQUIRE(keyed.hello("web-7", web_key) == std::nullopt);
    FakeAgent& agent = keyed.harness["web-7"];
    keyed.harness.pass(2s);
    REQUIRE(keyed.ask(otto, RoundNowRequest{}));
    REQUIRE(keyed.ask(KeyRevokeRequest{.pattern = "*"}));
    CHECK(agent.refusals.back().code == Errc::denied);
    const auto polls = agent.polls.size();
    keyed.harness.pass(3s);
    CHECK(agent.polls.size() == polls);  // Nothing is sent to it any more,
    CHECK(keyed.hello("web-7", web_key) == Errc::denied);
    CHECK(keyed.harness.node("web-7").health == "lost");
    keyed.harness.pass(40s);  // and it is lost without a freeze: nobody is silent against our will.
    CHECK_FALSE(keyed.harness.status().freeze.on);
    CHECK(keyed.harness.happened("node.lost", "web-7"));
    CHECK(code_of(keyed.ask(otto, RoundNowRequest{})) == Errc::denied);
    CHECK(keyed.harness.happened("key.revoked", "web-7"));
    // The name is fenced until an admin forgets it.
    CHECK(code_of(keyed.ask(KeyAddRequest{
              .name = "web-7", .role = Role::agent, .key = to_string(some_key(70))})) ==
          Errc::refused);
    REQUIRE(keyed.ask(KeyRemoveRequest{.pattern = "web-7"}));
    const Caller fresh = keyed.admit("web-7", Role::agent, 70);
    CHECK(keyed.hello("web-7", fresh) == std::nullopt);
}

// Goal: a key is valid as long as it was admitted for, also of an agent that stays connected.
// Method: admit keys for one minute, and let time pass.
TEST_CASE("an expired key is denied, and its session ends", "[keys]") {
    Keyed keyed;
    const Caller web_key = keyed.admit("web-7", Role::agent, web, 60'000);
    const Caller otto = keyed.admit("otto", Role::operator_, 3, 60'000);
    REQUIRE(keyed.hello("web-7", web_key) == std::nullopt);
    const auto pass = [&](Duration time) {
        keyed.harness.pass(time);
        keyed.harness.give(
            CivilTime{static_cast<CivilMs>(raw(CoordinatorHarness::civil_start) +
                                           to_ms(keyed.harness.now - CoordinatorHarness::start))});
    };
    pass(58s);
    CHECK(keyed.ask(otto, RoundNowRequest{}));
    CHECK(keyed.harness["web-7"].refusals.empty());
    pass(3s);
    CHECK(code_of(keyed.ask(otto, RoundNowRequest{})) == Errc::denied);
    REQUIRE_FALSE(keyed.harness["web-7"].refusals.empty());
    CHECK(keyed.harness["web-7"].refusals.front().code == Errc::denied);
    CHECK(keyed.hello("web-7", web_key) == Errc::denied);
}

// Goal: nothing is obeyed after the end of a key, also between two readings of the clock (S19).
// Method: no clock is read any more; the agent reports a moment before the end and after it.
TEST_CASE("a report after the end of its key is refused at once", "[keys][S19]") {
    Keyed keyed;
    const Caller web_key = keyed.admit("web-7", Role::agent, web, 60'000);
    REQUIRE(keyed.hello("web-7", web_key) == std::nullopt);
    FakeAgent& fake = keyed.harness["web-7"];
    keyed.harness.pass(59s);
    keyed.harness.give(FromAgent{fake.session, Report{}, Caller{}});
    CHECK(fake.refusals.empty());
    keyed.harness.pass(2s);
    keyed.harness.give(FromAgent{fake.session, Report{}, Caller{}});
    REQUIRE_FALSE(fake.refusals.empty());
    CHECK(fake.refusals.front().code == Errc::denied);
}

// Goal: a key is replaced without a gap.
// Method: admit a second key; the session with the first one stays, and the agent may come with
// either. A third key takes the place of the oldest, whose session then ends.
TEST_CASE("a name has two keys while one replaces the other [A12]", "[keys]") {
    Keyed keyed;
    const Caller first = keyed.admit("web-7", Role::agent, web);
    REQUIRE(keyed.hello("web-7", first) == std::nullopt);
    const Caller second = keyed.admit("web-7", Role::agent, 71);
    CHECK(keyed.harness["web-7"].refusals.empty());
    CHECK(keyed.hello("web-7", first) == std::nullopt);
    CHECK(keyed.hello("web-7", second) == std::nullopt);
    keyed.admit("web-7", Role::agent, 72);
    CHECK(keyed.harness["web-7"].refusals.empty());  // It speaks with the second.
    CHECK(keyed.hello("web-7", first) == Errc::denied);
    keyed.admit("web-7", Role::agent, 73);
    CHECK(keyed.harness["web-7"].refusals.back().code == Errc::denied);
}

// Goal: the author of a change is the name of the key, not the word of the client.
// Method: an operator claims to be somebody else; on this host the word counts.
TEST_CASE("the author of a change is the name of its key", "[keys]") {
    Keyed keyed;
    const Caller otto = keyed.admit("otto", Role::operator_, 3);
    REQUIRE(keyed.ask(otto, NodeAddRequest{.nodes = {{.name = "n1"}}}));
    const Occasion claimed{.reason = "new disk", .author = "ada@desk"};
    REQUIRE(keyed.ask(otto, NodeOfflineRequest{.pattern = "n1", .why = claimed}));
    CHECK(keyed.harness.node("n1").author == "otto");
    REQUIRE(keyed.ask(NodeOnlineRequest{.pattern = "n1", .why = claimed}));
    REQUIRE(keyed.ask(NodeOfflineRequest{.pattern = "n1", .why = claimed}));
    CHECK(keyed.harness.node("n1").author == "ada@desk");
}

// Goal: an operator who is limited to some tasks and pools changes nothing else.
// Method: each kind of change inside and outside of the limits, and what is about the whole
// cluster.
TEST_CASE("a limited operator changes the tasks and nodes of its scope only", "[keys]") {
    Keyed keyed;
    REQUIRE(keyed.ask(KeyAddRequest{.name = "web-team",
                                    .role = Role::operator_,
                                    .key = to_string(some_key(3)),
                                    .tasks = {"web-*"}}));
    REQUIRE(keyed.ask(KeyAddRequest{.name = "pool-team",
                                    .role = Role::operator_,
                                    .key = to_string(some_key(4)),
                                    .pools = {"default"}}));
    const Caller web_team{.key = some_key(3)};
    const Caller pool_team{.key = some_key(4)};
    const auto add = [&](const Caller& by, const std::string& name, const std::string& pool) {
        WantedTask task = CoordinatorHarness::wanted(name, 1);
        task.place.pool = pool;
        return code_of(keyed.ask(by, TaskAddRequest{.task = task, .force = true}));
    };
    CHECK(add(web_team, "web-1", "default") == Errc::io);
    CHECK(add(web_team, "db-1", "default") == Errc::denied);
    CHECK(add(pool_team, "db-1", "default") == Errc::io);
    CHECK(add(pool_team, "db-2", "other") == Errc::denied);
    CHECK(code_of(keyed.ask(web_team, TaskRemoveRequest{.pattern = "*"})) == Errc::denied);
    CHECK(code_of(keyed.ask(web_team, TaskScaleRequest{.pattern = "db-1", .instances = 3})) ==
          Errc::denied);
    CHECK(code_of(keyed.ask(web_team, TaskSignalRequest{.pattern = "db-1", .signal = "HUP"})) ==
          Errc::denied);
    CHECK(code_of(keyed.ask(web_team, LogsRequest{.instance = "db-1.0"})) == Errc::denied);
    CHECK(code_of(keyed.ask(web_team, ApplyRequest{.tasks = {}, .replace = true})) == Errc::denied);
    // A task cannot be taken over from a pool, or into it.
    WantedTask moved = CoordinatorHarness::wanted("db-1", 1);
    moved.place.pool = "other";
    CHECK(code_of(keyed.ask(pool_team, ApplyRequest{.tasks = {moved}, .force = true})) ==
          Errc::denied);
    REQUIRE(keyed.ask(NodeAddRequest{.nodes = {{.name = "n1"}, {.name = "n2", .pool = "other"}}}));
    keyed.admit("n1", Role::agent, 11);
    REQUIRE(keyed.hello("n1", {.key = some_key(11)}) == std::nullopt);
    CHECK(code_of(keyed.ask(web_team, NodeOfflineRequest{.pattern = "n1"})) == Errc::denied);
    CHECK(code_of(keyed.ask(pool_team, NodeOfflineRequest{.pattern = "n1"})) == Errc::io);
    CHECK(code_of(keyed.ask(pool_team, NodeOfflineRequest{.pattern = "n2"})) == Errc::denied);
    // A node cannot be taken to a pool of others, where it would get their tasks and secrets.
    CHECK(
        code_of(keyed.ask(pool_team, NodeAddRequest{.nodes = {{.name = "n1", .pool = "other"}}})) ==
        Errc::denied);
    CHECK(code_of(keyed.ask(web_team, RebalanceRequest{})) == Errc::denied);
    CHECK(code_of(keyed.ask(web_team, LimitSetRequest{.name = "starts_per_round"})) ==
          Errc::denied);
    CHECK(keyed.ask(web_team, StatusRequest{}));
    // A second key has the limits of the first.
    const Caller second = keyed.admit("web-team", Role::operator_, 33);
    CHECK(add(second, "db-3", "default") == Errc::denied);
    CHECK(add(second, "web-3", "default") == Errc::io);
}

// Goal: what an admin decides holds for requests that came before it and wait.
// Method: a change in steps keeps the queue; a revocation waits there, and behind it a request of
// that key.
TEST_CASE("a request that waited is judged again when its turn comes", "[keys]") {
    CoordinatorOptions options = with_keys(true);
    options.rows_of_step = 1;
    Keyed keyed{options};
    const Caller ann = keyed.admit("ann", Role::admin, 2);
    const auto give = [&](std::uint64_t ticket, CoreRequestBody body, const Caller& by) {
        keyed.harness.give(FromOperator{Ticket{ticket}, CoreRequest{{}, std::move(body)}, {}, by});
    };
    give(77'001,
         ApplyRequest{.tasks = {CoordinatorHarness::wanted("a", 1),
                                CoordinatorHarness::wanted("b", 1),
                                CoordinatorHarness::wanted("c", 1)}},
         {.is_local = true});
    give(77'002, KeyRevokeRequest{.pattern = "ann"}, {.is_local = true});
    give(77'003, KeyAddRequest{.name = "eve", .role = Role::admin, .key = to_string(some_key(3))},
         ann);
    CHECK_FALSE(keyed.harness.reply_to(Ticket{77'003}));
    keyed.harness.pass(3s);
    REQUIRE(keyed.harness.reply_to(Ticket{77'002}));
    CHECK(keyed.harness.reply_to(Ticket{77'002})->result);
    REQUIRE(keyed.harness.reply_to(Ticket{77'003}));
    CHECK(code_of(keyed.harness.reply_to(Ticket{77'003})->result) == Errc::denied);
}

// Goal: keys and tokens outlive the leadership.
// Method: the store of one leadership is the beginning of the next.
// Goal: rights are those after the changes before, also while these are being stored (A33).
// Method: an operator's key is removed and added again as an observer's, and asks at once.
TEST_CASE("a key changes nothing after the change that ends it", "[keys][A33]") {
    Keyed story;
    const Caller ann = story.admit("ann", Role::operator_, 50);
    REQUIRE(story.ask(ann, ApplyRequest{.tasks = {CoordinatorHarness::wanted("web", 1)}}));
    story.harness.store_works = false;
    CHECK(story.ask(KeyRemoveRequest{.pattern = "ann"}).error().code == Errc::timeout);
    const auto scaled = story.ask(ann, TaskScaleRequest{.pattern = "web", .instances = 2});
    CHECK(scaled.error().code == Errc::denied);
    CHECK(story
              .ask(KeyAddRequest{
                  .name = "ann", .role = Role::observer, .key = to_string(some_key(50))})
              .error()
              .code == Errc::timeout);
    const auto again = story.ask(ann, TaskScaleRequest{.pattern = "web", .instances = 3});
    REQUIRE(again.error().code == Errc::denied);
    CHECK_THAT(again.error().detail, Catch::Contains("needs the role operator"));
    CHECK(story.ask(ann, TaskListRequest{}));  // Nothing of it is in effect yet.
}

TEST_CASE("the next leader knows the keys and the tokens of the store", "[keys]") {
    StoreImage store = CoordinatorHarness::empty_store();
    store.keys = {
        {.name = "ada", .role = Role::admin, .keys = {{.key = some_key(4)}}},
        {.name = "eve", .role = Role::admin, .keys = {{.key = some_key(5)}}, .revoked = true}};
    store.tokens = {{.name = hash_text("s").substr(0, 16),
                     .hash = PublicKey{hash_of("s")},
                     .pattern = "*",
                     .uses = 1,
                     .until = CivilMs{raw(CoordinatorHarness::civil_start) + 60'000}}};
    CoordinatorHarness next{store, with_keys()};
    const auto may = [&](std::uint8_t number) {
        return next.coordinator
            .may_send(next.now, {.key = some_key(number)}, RequestBody{FreezeOnRequest{}})
            .has_value();
    };
    CHECK(may(4));
    CHECK_FALSE(may(5));
    CHECK(next.coordinator.is_enrolment_open(next.now));
    CHECK(next.coordinator.admitted_keys(false) == std::vector{some_key(4)});
    CHECK(next.coordinator.admitted_keys(true).empty());
}

// Goal: bad input gets a sentence that says what would be right.
TEST_CASE("a faulty request about keys says what is wrong", "[keys]") {
    Keyed keyed;
    const Caller ada = keyed.admit("ada", Role::admin, 4);
    const auto error = [&](CoreRequestBody body) {
        const auto answer = keyed.ask(ada, std::move(body));
        REQUIRE_FALSE(answer);
        return answer.error().detail;
    };
    CHECK(error(KeyAddRequest{.name = "Bob", .key = to_string(some_key(1))})
              .find("not a valid name") != std::string::npos);
    CHECK(error(KeyAddRequest{.name = "bob", .key = "abc"}).find("64 hexadecimal digits") !=
          std::string::npos);
    CHECK(error(KeyAddRequest{.name = "bob", .key = to_string(some_key(4))}) ==
          "the key belongs to ada");
    CHECK(error(KeyAddRequest{.name = "ada", .role = Role::observer, .key = to_string(some_key(6))})
              .find("has the role admin") != std::string::npos);
    CHECK(error(KeyRevokeRequest{.pattern = "nobody"}).find("no name with a key") !=
          std::string::npos);
    CHECK(error(TokenRevokeRequest{.id = "12"}).find("muster token list") != std::string::npos);
    CHECK(error(TokenCreateRequest{.pattern = "*", .hash = hash_text("s"), .ttl_ms = 0})
              .find("at least once") != std::string::npos);
    CHECK(error(NodeAcceptRequest{.name = "n1", .fingerprint = "x"}).find("waits to be accepted") !=
          std::string::npos);
}
