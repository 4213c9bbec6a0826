#include "cli/subjects/doctor/findings.hpp"

#include "tests/catch.hpp"

using namespace muster;
using namespace muster::cli;

namespace {

constexpr CivilMs examined_at{1'700'000'000'000};
constexpr std::int64_t day = std::int64_t{24} * 3'600'000;

CivilMs in_days(std::int64_t days) { return CivilMs{raw(examined_at) + days * day}; }

Facets sound() {
    Facets facets;
    facets.now = examined_at;
    facets.version = "1.2.3";
    facets.ping = PingReply{.version = "1.2.3", .cluster = {}};
    facets.status = StatusReply{};
    facets.stats = StatsReply{};
    facets.nodes = NodeListReply{
        .nodes = {{.name = "n1", .health = "healthy", .note = {}, .version = "1.2.3"}}};
    facets.keys =
        KeysReply{.counter = {}, .keys = {{.name = "ann", .role = "admin", .state = "valid"}}};
    facets.tokens = TokensReply{};
    facets.coordinators =
        CoordinatorsReply{{{.name = "c1", .role = "leader", .operators = {}, .version = "1.2.3"},
                           {.name = "c2", .role = "standby", .operators = {}, .version = "1.2.3"}}};
    facets.upgrade = UpgradeReply{.counter = {}, .dry_run = true, .before = 10, .after = 10};
    return facets;
}

/// The only finding has these words in its sentence, and says what helps.
void check_only(const Facets& facets, Severity severity, const std::string& words) {
    const auto findings = diagnose(facets);
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().severity == severity);
    CHECK(findings.front().what.find(words) != std::string::npos);
    CHECK_FALSE(findings.front().remedy.empty());
}

}  // namespace

// Goal: a healthy installation is called healthy, also by an observer who may not list keys.
TEST_CASE("the doctor finds nothing in a sound cluster", "[doctor]") {
    CHECK(diagnose(sound()).empty());
    Facets less = sound();
    less.keys.reset();
    less.tokens.reset();
    CHECK(diagnose(less).empty());
}

// Goal: each weakness gets one sentence and what helps.
// Method: add each to a sound cluster.
TEST_CASE("the doctor names each weakness, and what helps", "[doctor]") {
    Facets facets = sound();
    SECTION("no keys") {
        facets.status->alarms = {"there are no keys: every process may command the cluster"};
        check_only(facets, Severity::weak, "there are no keys");
        CHECK(diagnose(facets).front().remedy == "muster init");
    }
    SECTION("another alarm") {
        facets.status->alarms = {"lost: n2"};
        check_only(facets, Severity::broken, "lost: n2");
    }
    SECTION("nobody leads") {
        facets.status->phase = "standby";
        facets.status->alarms = {"recovering: n1"};
        check_only(facets, Severity::broken, "no coordinator leads");
    }
    SECTION("a file") {
        facets.file_faults = {"/k holds a secret, and others may read or change it"};
        check_only(facets, Severity::broken, "/k holds a secret");
    }
    SECTION("open files") {
        facets.stats->samples = {{"process_open_fds", {}, 90}, {"process_max_fds", {}, 100}};
        check_only(facets, Severity::weak, "90 of 100 files");
    }
    SECTION("strangers") {
        facets.stats->samples = {{"muster_handshakes_total", {{"result", "refused"}}, 7},
                                 {"muster_handshakes_total", {{"result", "accepted"}}, 9}};
        check_only(facets, Severity::weak, "7 connections with keys that are not admitted");
    }
    SECTION("dropped messages") {
        facets.stats->samples = {{"muster_message_errors_total", {{"kind", "agent_unread"}}, 4}};
        check_only(facets, Severity::weak, "4 messages to agents were dropped");
    }
    SECTION("a flood") {
        facets.stats->samples = {{"muster_message_errors_total", {{"kind", "too_fast"}}, 8}};
        check_only(facets, Severity::weak, "8 messages were refused");
    }
    SECTION("versions") {
        facets.nodes->nodes.push_back(
            {.name = "n2", .health = "healthy", .note = {}, .version = "1.2.2"});
        check_only(facets, Severity::weak, "1 of 2 agents run version 1.2.2");
    }
    SECTION("a clock") {
        NodeShowReply node;
        node.node.name = "n1";
        node.clock_ahead_ms = -3'600'000;
        facets.shown = {node};
        check_only(facets, Severity::weak, "the clock of n1 is 1h00m behind");
    }
    SECTION("a key that expires") {
        facets.keys->keys[0].until = in_days(5);
        check_only(facets, Severity::weak, "the key of ann expires in 5 days");
        facets.keys->keys[0].until = in_days(20);
        CHECK(diagnose(facets).empty());
    }
    SECTION("a key that has expired") {
        facets.keys->keys[0].state = "expired";
        check_only(facets, Severity::broken, "the key of ann has expired");
    }
    SECTION("a host that waits") {
        facets.keys->keys[0] = {
            .name = "n7", .role = "agent", .state = "pending", .fingerprint = "ab"};
        check_only(facets, Severity::weak, "n7 waits to be accepted");
        CHECK(diagnose(facets).front().remedy == "muster node accept n7 ab");
    }
    SECTION("a node that does not answer") {
        facets.nodes->nodes[0].health = "silent";
        facets.nodes->nodes[0].note = "silent for 3 polls";
        check_only(facets, Severity::weak, "n1 does not answer: silent for 3 polls");
    }
    SECTION("two agents of one name") {
        facets.events = EventsReply{};
        for (int at = 0; at < 5; ++at) {
            CHECK(diagnose(facets).empty());
            facets.events->events.push_back(
                {.at = examined_at, .topic = "node.restarted", .name = "n1", .detail = {}});
        }
        check_only(facets, Severity::broken, "the agent of n1 started 5 times");
        facets.now = in_days(1);
        CHECK(diagnose(facets).empty());
    }
    SECTION("a token without a way in") {
        facets.events.emplace().published_at = "tcp://127.0.0.1:7702";
        CHECK(diagnose(facets).empty());
        facets.tokens->tokens = {{.id = "12", .pattern = "n9", .uses = 1, .until = in_days(0)}};
        check_only(facets, Severity::weak, "a token for n9 is open");
        facets.events->published_at = "tcp://10.0.0.1:7702";
        CHECK(diagnose(facets).empty());
    }
    SECTION("a token that is open for long") {
        facets.tokens->tokens = {{.id = "12", .pattern = "*", .uses = 1, .until = in_days(3)}};
        check_only(facets, Severity::weak, "the token 12 for * is open until");
    }
}

// Goal: what endangers the next change of leaders is seen before it.
TEST_CASE("the doctor looks at all coordinators", "[doctor]") {
    Facets facets = sound();
    std::vector<CoordinatorView>& rows = facets.coordinators->rows;
    SECTION("one without the lead that is far behind") {
        rows[1].lag_ms = 9'000;
        CHECK(diagnose(facets).empty());
        rows[1].lag_ms = 12'000;
        check_only(facets, Severity::weak, "the coordinator on c2 is 12 s behind the store");
    }
    SECTION("a single one") {
        rows.pop_back();
        CHECK(diagnose(facets).empty());  // Its store is a file.
        rows[0].applied = 7;
        check_only(facets, Severity::weak, "no other coordinator stands by");
    }
    SECTION("several of one name") {
        rows[1].name = "c1";
        check_only(facets, Severity::weak, "2 coordinators have the name c1");
    }
    SECTION("several versions, of which an unfinished upgrade says nothing more") {
        rows[1].version = "1.3.0";
        facets.upgrade->after = 11;
        check_only(facets, Severity::weak, "several versions run: 1.2.3 on c1, 1.3.0 on c2");
    }
    SECTION("an upgrade that is not finished") {
        facets.upgrade->after = 11;
        check_only(facets, Severity::weak, "has schema 10, and all coordinators know 11");
        CHECK(diagnose(facets).front().remedy == "muster upgrade finish");
    }
}

// Goal: what does not work comes first.
TEST_CASE("the doctor says first what is broken", "[doctor]") {
    Facets facets = sound();
    facets.status->alarms = {"there are no keys", "lost: n2"};
    const auto findings = diagnose(facets);
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].severity == Severity::broken);
}
