#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "common/codec/verb_table.hpp"
#include "tests/unit/coordinator/core/security/keyed.hpp"

using namespace muster;
using namespace muster::coordinator;
using namespace muster::coordinator::testing;

namespace {

/// The requests of a verb that would show the hidden task, whose name has "secret" in it.
const std::map<std::string_view, std::vector<std::string>> requests_of{
    {"status", {"status"}},
    {"reported", {"reported", "reported n1"}},
    {"node show", {"node show n1"}},
    {"task list", {"task list", "task list secret-*", "task list secret-b"}},
    {"task show", {"task show secret-b"}},
    {"group list", {"group list"}},
    {"group show", {"group show secret-group", "group show shared"}},
    {"demand list", {"demand list", "demand list secret-pool"}},
    {"pool list", {"pool list", "pool list secret*"}},
    {"pool forecast", {"pool forecast secret-pool"}},
    {"pool show", {"pool show secret-pool"}},
    {"pool members", {"pool members secret-pool"}},
    {"events", {"events", "events 1 1000"}},
    {"wait", {"wait secret-b 0s", "wait * 0s", "wait sec* 0s", "wait secret-? 0s"}},
    {"logs", {"logs secret-b.0", "logs secret-b"}},
    {"task signal",
     {"task signal secret-b HUP", "task signal secret-b.0 HUP", "task signal * HUP"}},
    {"usage", {"usage", "usage * secret-*"}},
    {"explain",
     {"explain secret-b", "explain secret-b.0", "explain task secret-b",
      "explain instance secret-b.0", "explain n1", "explain node n1", "explain pool secret-pool"}},
    {"plan", {"plan fail node=n1", "plan without secret-b", "plan without *"}},
};
/// These are open to limited readers: they name no task. docs/operations/security.md says so.
const std::vector<std::string_view> open_verbs{
    "help",       "ping",        "stats",     "node list",
    "round now",  "demand set",  "rebalance", "coordinator list",
    "limit list", "freeze show", "key list",  "token list",
    "log level",  "secret list"};

class Limited : public Keyed {
public:
    Limited() {
        hello("n1", Keyed::admit("n1", Role::agent, 1));
        harness.pass(2s);
        REQUIRE(ask(DemandSetRequest{
            .reporter = "lb-0", .ttl_ms = 3'600'000, .needs = {{"secret-pool", 5}}}));
        REQUIRE(ask(PoolCreateRequest{.name = "secret-pool",
                                      .changes = {.demand_ttl_ms = std::uint64_t{3'600'000}}}));
        harness.give(CivilTime{CoordinatorHarness::civil_start});
        add("web-a", "shared");
        add("secret-b", "secret-group");
        add("secret-c", "shared");
        // One instance on each node: two have no place.
        REQUIRE(ask(TaskAddRequest{.task = CoordinatorHarness::wanted("secret-d", 3)}));
        harness.pass(10s);
    }

    /// The answer as a client gets it.
    std::string text_of(const Caller& by, const std::string& line) {
        INFO(line);
        auto request = codec::request_from_text(line);
        REQUIRE(request);
        auto core = for_core(*request);
        REQUIRE(core);
        const Ticket ticket = next_ticket();
        harness.give(FromOperator{ticket, CoreRequest{{}, std::move(core->body)}, {}, by});
        FakeAgent& agent = harness["n1"];
        for (const Measure& call : std::exchange(agent.measures, {})) {
            Measured measured{.stamp = call.stamp, .at_us = 1, .instances = {}};
            for (const auto& [id, instance] : agent.instances) {
                measured.instances.push_back({.id = id, .cpu_us = 1});
            }
            harness.give(FromAgent{agent.session, measured});
        }
        for (const ReadLog& call : std::exchange(agent.readings, {})) {
            harness.give(
                FromAgent{agent.session, LogPiece{.stamp = call.stamp, .next = {}, .data = ""}});
        }
        harness.pass(6s);
        const auto reply = harness.reply_to(ticket);
        REQUIRE(reply);
        return codec::to_json(*reply);
    }
    Caller admit(const std::string& name, std::uint8_t number, std::vector<std::string> pools,
                 std::vector<std::string> tasks, Role role = Role::operator_) {
        REQUIRE(ask(KeyAddRequest{.name = name,
                                  .role = role,
                                  .key = to_string(some_key(number)),
                                  .pools = std::move(pools),
                                  .tasks = std::move(tasks)}));
        return {.key = some_key(number)};
    }

private:
    void add(const std::string& name, const std::string& group) {
        WantedTask task = CoordinatorHarness::wanted(name, 1);
        task.place.group = group;
        REQUIRE(ask(TaskAddRequest{.task = task}));
    }
};

bool shows_secret(const std::string& answer) {
    const auto begin = answer.find("\"ok\":false");
    return begin == std::string::npos && answer.find("secret") != std::string::npos;
}

}  // namespace

// Goal: who is limited to a pool neither drives another one nor sees its demand.
TEST_CASE("demand is limited to the pools of a key", "[keys][pools]") {
    Limited cluster;
    const Caller limited = cluster.admit("ann", 2, {"web-*"}, {});
    CHECK_THAT(cluster.text_of(limited, "demand set secret-pool lb-1 7"),
               Catch::Contains("denied"));
    CHECK_THAT(cluster.text_of(limited, "demand set web-a lb-1 7"), Catch::Contains("\"ok\":true"));
    const std::string seen = cluster.text_of(limited, "demand list");
    CHECK_THAT(seen, Catch::Contains("web-a") && !Catch::Contains("secret"));
    const Caller of_tasks = cluster.admit("olga", 3, {}, {"web-*"});
    CHECK_THAT(cluster.text_of(of_tasks, "demand set web-a lb-1 7"), Catch::Contains("denied"));
}

// Goal: nothing that a limited operator reads shows a task outside of its scope.
// Method: every verb of the table that reads, with requests that name such a task and with patterns
// that match it. An unlimited operator gets it in the answer to at least one of them, so the test
// would see it.
TEST_CASE("each verb that reads is limited to the scope of its caller, or open", "[keys]") {
    Limited cluster;
    const Caller limited = cluster.admit("ann", 2, {}, {"web-*"});
    const Caller observer = cluster.admit("olga", 3, {}, {"web-*"}, Role::observer);
    const Caller without_scope = cluster.admit("otto", 4, {}, {});
    for (const codec::Verb& verb : codec::verb_rows) {
        if (verb.access != codec::Access::read || verb.role == Role::admin) {
            continue;
        }
        INFO(verb.name);
        const auto known = requests_of.find(verb.name);
        const bool is_open = std::ranges::count(open_verbs, verb.name) == 1;
        CHECK((known != requests_of.end()) != is_open);
        if (known == requests_of.end()) {
            continue;
        }
        bool is_shown = false;
        for (const std::string& request : known->second) {
            INFO(request);
            CHECK_FALSE(shows_secret(cluster.text_of(limited, request)));
            if (verb.role == Role::observer) {
                CHECK_FALSE(shows_secret(cluster.text_of(observer, request)));
            }
            is_shown = is_shown ||
                       cluster.text_of(without_scope, request).find("secret") != std::string::npos;
        }
        CHECK(is_shown);
    }
}

// Goal: a limited operator reads all of its own tasks, and errors say why the others are denied.
TEST_CASE("a limited operator reads its own tasks", "[keys]") {
    Limited cluster;
    const Caller limited = cluster.admit("ann", 2, {}, {"web-*"});
    for (const auto* const request :
         {"task list", "task show web-a", "node show n1", "reported", "explain web-a.0",
          "explain web-a", "wait web-a 0s", "events 0 1000", "usage", "group show shared"}) {
        INFO(request);
        CHECK(cluster.text_of(limited, request).find("web-a") != std::string::npos);
    }
    const auto denied = cluster.ask(limited, TaskShowRequest{"secret-b"});
    REQUIRE_FALSE(denied);
    CHECK(denied.error().code == Errc::denied);
    CHECK(denied.error().detail.find("tasks like web-* only, not task secret-b") !=
          std::string::npos);
    const auto hidden = cluster.ask(limited, TaskShowRequest{"secret-none"});
    REQUIRE_FALSE(hidden);
    CHECK(hidden.error().code == Errc::denied);  // It does not say whether there is one.
    const auto pools = cluster.admit("paul", 5, {"db"}, {});
    CHECK_FALSE(shows_secret(cluster.text_of(pools, "task list")));
    CHECK(cluster.text_of(pools, "task list").find("web-a") == std::string::npos);
    CHECK(cluster.text_of(pools, "node list").find("n1") != std::string::npos);
}

// Goal: events are for those who may read the task.
TEST_CASE("an event is seen by those who may see its task or node", "[keys]") {
    Limited cluster;
    static_cast<void>(cluster.admit("ann", 2, {}, {"web-*"}));
    static_cast<void>(cluster.admit("paul", 3, {"default"}, {}));
    static_cast<void>(cluster.admit("otto", 4, {}, {}));
    const auto sees = [&](const std::string& name, const std::string& topic,
                          const std::string& about) {
        return cluster.harness.coordinator.may_see(
            cluster.harness.now, name, Event{.topic = topic, .name = about, .detail = {}});
    };
    CHECK(sees("ann", "task.added", "web-a"));
    CHECK(sees("ann", "instance.start", "web-a.0"));
    CHECK_FALSE(sees("ann", "task.added", "secret-b"));
    CHECK_FALSE(sees("ann", "instance.start", "secret-b.0"));
    CHECK_FALSE(sees("ann", "node.lost", "n1"));
    CHECK_FALSE(sees("ann", "key.admitted", "web-a"));
    CHECK_FALSE(sees("ann", "round.closed", "7"));
    for (const auto* const topic : {"node.lost", "task.added", "key.admitted", "round.closed"}) {
        CHECK(sees("otto", topic, "secret-b"));
    }
    const auto readers = cluster.harness.coordinator.readers(cluster.harness.now);
    CHECK(readers.size() == 3);  // The key of an agent reads nothing.
    REQUIRE(cluster.ask({.is_local = true}, KeyRevokeRequest{.pattern = "otto"}));
    CHECK(cluster.harness.coordinator.readers(cluster.harness.now).size() == 2);
}
