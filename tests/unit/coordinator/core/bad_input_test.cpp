// Invalid requests, reports and files, through the codec and the coordinator's step. Each is
// refused whole, with a sentence that says what is wrong, where, and what would be right.

#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/config/spec_toml.hpp"
#include "common/spec/duration.hpp"
#include "tests/unit/coordinator/core/coordinator_harness.hpp"

using namespace muster;
using namespace muster::coordinator;
using muster::coordinator::testing::CoordinatorHarness;
using muster::coordinator::testing::FakeAgent;

namespace {

struct BadInput {
    std::string json;
    Errc code;
    std::string_view expected;  ///< Part of the sentence.
};

/// A coordinator with two nodes in two pools and one task. Its state must not change.
class Unmoved {
public:
    Unmoved() {
        join("n1", "default");
        join("n2", "fast");
        REQUIRE(harness.want("web", 1));
        harness.pass(5s);
        REQUIRE(harness.status().running == 1);
        keeps();
    }

    void join(const std::string& name, const std::string& pool) {
        FakeAgent& fake = harness.add(name);
        Hello hello = CoordinatorHarness::hello_of(fake);
        hello.offer.pool = pool;
        hello.offer.labels = {{"rack", "r1"}};
        harness.give(FromAgent{fake.session, hello});
    }

    /// Records the state, which must not change from now on.
    void keeps() { before_ = facts(); }

    /// Gives the request as JSON and, if possible, as msgpack; both must be refused in the same
    /// way.
    void refuses(const BadInput& input) {
        CAPTURE(input.json);
        const auto request = codec::request_from_json(input.json);
        const Error error = request ? answer(*request) : request.error();
        CAPTURE(error.detail);
        CHECK(to_string(error.code) == to_string(input.code));
        CHECK(error.detail.find(input.expected) != std::string::npos);
        CHECK(facts() == before_);
    }

    CoordinatorHarness harness;

private:
    Error answer(const Request& request) {
        std::string frame;
        codec::encode(request, frame);
        const auto again = codec::decode_request(frame);
        REQUIRE(again);
        const auto to_core = for_core(*again);
        REQUIRE(to_core);
        const auto reply = harness.ask(to_core->body);
        REQUIRE(reply);
        REQUIRE_FALSE(reply->result);
        return reply->result.error();
    }

    /// Everything that a change could change: the writes to the store, and the wanted tasks.
    std::string facts() {
        StatusReply status = harness.status();
        status.round = Round{};
        return std::to_string(harness.persisted.size()) + codec::to_json(ReplyBody{status}) +
               codec::to_json(*harness.ask(TaskShowRequest{"web"})) + harness.node("n1").intent +
               harness.node("n2").intent;
    }

    std::string before_;
};

std::string task_with(std::string_view fields) {
    return R"({"name":"new","argv":["x"],)" + std::string{fields} + "}";
}

/// An apply with the task alone, and after a valid task.
std::vector<std::string> requests_with(std::string_view fields) {
    const std::string task = task_with(fields);
    return {R"({"verb":"apply","tasks":[{"name":"sound","argv":["x"]},)" + task + "]}",
            R"({"verb":"apply","dry_run":true,"tasks":[)" + task + "]}",
            R"({"verb":"task add","force":true,"task":)" + task + "}"};
}

Error toml_error(const std::string& line) {
    const auto tasks = tasks_from_toml("[[task]]\nname = 'a'\nargv = ['x']\n" + line, "t.toml");
    CAPTURE(line);
    REQUIRE_FALSE(tasks);
    CHECK_THAT(tasks.error().detail, Catch::StartsWith("t.toml:4: "));
    return tasks.error();
}

/// The refusal of an agent with this hello.
Error refusal_of(const std::string& hello_fields) {
    const auto hello = codec::agent_message_from_json(
        R"({"type":"hello","name":"n1","boot":"00000000000000010000000000000001",)"
        R"("life":"00000000000000010000000000000002","incarnation":1)" +
        hello_fields + "}");
    if (!hello) {
        return hello.error();
    }
    CoordinatorHarness harness;
    FakeAgent& n1 = harness.add("n1");
    harness.give(FromAgent{n1.session, *hello});
    CHECK(harness.persisted.empty());
    CHECK(harness.status().nodes == 0);
    REQUIRE(n1.refusals.size() == 1);
    return {n1.refusals.front().code, n1.refusals.front().detail};
}

}  // namespace

TEST_CASE("constraints that contradict each other are refused, naming both", "[bad_input]") {
    Unmoved cluster;
    for (const auto& json : requests_with(R"("constraints":["rack = r1","rack = r2"])")) {
        cluster.refuses({json, Errc::invalid,
                         "task 'new': constraints contradict each other: rack = r1 and rack = r2 "
                         "leave no value of rack"});
    }
    for (const auto& json : requests_with(R"("constraints":["rack > 8","rack <= 8"])")) {
        cluster.refuses({json, Errc::invalid, "rack > 8 and rack <= 8 leave no value of rack"});
    }
    for (const auto& json : requests_with(R"("constraints":["rack is r1"])")) {
        cluster.refuses({json, Errc::invalid, "write rack = r7, rack != r7"});
    }
    CHECK_THAT(toml_error("constraints = ['rack = r1', 'rack != r1']").detail,
               Catch::Contains("rack = r1 and rack != r1 leave no value of rack"));
}

TEST_CASE("a label that no node has is refused before any part of the request is done",
          "[bad_input]") {
    Unmoved cluster;
    for (const std::string field : {R"("constraints":["rak = r1"])", R"("spread":"rak")"}) {
        cluster.refuses(
            {R"({"verb":"apply","tasks":[{"name":"sound","argv":["x"]},)" + task_with(field) + "]}",
             Errc::invalid,
             "task 'new': no node has a label 'rak'; did you mean rack? --force accepts it "
             "anyway"});
    }
    cluster.refuses(
        {R"({"verb":"plan","fail":["rak=r1"]})", Errc::invalid, "no node has a label 'rak'"});
}

// Goal: no number wraps, is cut or is misread. Method: each resource below zero, above its bound,
// above its type and not whole; requested by a task and offered by an agent.
TEST_CASE("resources below zero or too large are refused with their key", "[bad_input]") {
    Unmoved cluster;
    struct Case {
        std::string key;
        std::string above;  ///< The smallest number that is too large.
    };
    for (const auto& [key, above] :
         {Case{"cpu_milli", "1000000001"}, Case{"memory_bytes", "1125899906842625"},
          Case{"slots", "4097"}}) {
        for (const std::string& number :
             {std::string{"-1"}, std::string{"0.5"}, std::string{"18446744073709551616"},
              std::string{"1e30"}, std::string{"\"1\""}, std::string{"null"}}) {
            const std::string member = "\"" + key + "\":" + number;
            for (const auto& json : requests_with("\"resources\":{" + member + "}")) {
                cluster.refuses({json, Errc::malformed, key});
            }
            for (const std::string of : {"capacity", "reserved"}) {
                const Error error = refusal_of(",\"" + of + "\":{" + member + "}");
                CHECK(error.code == Errc::malformed);
                CHECK_THAT(error.detail, Catch::Contains(key));
            }
        }
        for (const auto& json : requests_with("\"resources\":{\"" + key + "\":" + above + "}")) {
            cluster.refuses({json, Errc::invalid,
                             "task 'new': resources has " + key + " " + above + "; at most "});
        }
        const Error offered = refusal_of(",\"capacity\":{\"" + key + "\":" + above + "}");
        CHECK(offered.code == Errc::invalid);
        CHECK_THAT(offered.detail, Catch::Contains("capacity has " + key + " " + above));
        for (const std::string& number : {std::string{"-1"}, above}) {
            CHECK_THAT(toml_error("resources = { " + key + " = " + number + " }").detail,
                       Catch::Contains(key + " is " + number + "; write one from 0 to "));
        }
    }
    CHECK_THAT(
        refusal_of(R"(,"capacity":{"slots":2},"reserved":{"slots":3})").detail,
        Catch::Contains("reserved is more than the capacity; reserve at most what there is"));
}

TEST_CASE("other numbers below zero or too large are refused with their key", "[bad_input]") {
    Unmoved cluster;
    for (const std::string field : {"instances", "reschedule_after_ms", "grace_ms"}) {
        for (const auto& json : requests_with("\"" + field + "\":-1")) {
            cluster.refuses({json, Errc::malformed, field});
        }
    }
    for (const std::string field : {"instances", "priority"}) {
        for (const auto& json : requests_with("\"" + field + "\":4294967296")) {
            cluster.refuses({json, Errc::too_large, field});
        }
    }
    for (const std::string field :
         {"\"instances\":100001", "\"reschedule_after_ms\":86400001", "\"priority\":1001",
          "\"grace_ms\":3600001", "\"max_per_node\":0"}) {
        for (const auto& json : requests_with(field)) {
            cluster.refuses({json, Errc::invalid, "task 'new': "});
        }
    }
    cluster.refuses({R"({"verb":"plan","add_nodes":4294967295})", Errc::too_large, "20000"});
    cluster.refuses({R"({"verb":"limit set","name":"moves_per_round","value":0})", Errc::invalid,
                     "moves_per_round is at least 1, or none; not 0"});
    cluster.refuses(
        {R"({"verb":"limit set","name":"starts_per_round","value":-1})", Errc::malformed, "value"});
}

// Goal: a deadline is a time. Method: durations that no clock can hold, as milliseconds and as
// text.
TEST_CASE("the deadline of a drain is at most a year away", "[bad_input]") {
    Unmoved cluster;
    for (const std::string ms :
         {"31536000001", "9223372036854775807", "9223372036854775808", "18446744073709551615"}) {
        cluster.refuses(
            {R"({"verb":"node drain","pattern":"n1","force":true,"deadline_ms":)" + ms + "}",
             Errc::invalid, "the deadline is " + ms + " ms from now; it is at most"});
    }
    cluster.refuses({R"({"verb":"node drain","pattern":"n1","force":true,"deadline_ms":-1})",
                     Errc::malformed, "deadline_ms"});
    const auto typed = codec::request_from_text("node drain n1 99999999999999h");
    REQUIRE_FALSE(typed);
    CHECK_THAT(typed.error().detail, Catch::Contains("node drain PATTERN [DEADLINE]"));
    REQUIRE(cluster.harness.ask(
        NodeDrainRequest{.pattern = "n1", .deadline_ms = 31'536'000'000, .force = true}));
    CHECK(cluster.harness.node("n1").intent == "draining");
}

// Goal: a pool is not emptied by mistake, by any request.
TEST_CASE("the last node of a pool is neither drained nor removed without force", "[bad_input]") {
    Unmoved cluster;
    const std::string_view last = "n2 is the last node of pool 'fast' that gets work; --force";
    for (const std::string request :
         {R"("node drain","pattern":"n2")", R"("node remove","pattern":"n2")",
          R"("node drain","pattern":"*")", R"("node apply","nodes":[{"name":"n1"}])",
          R"("node apply","nodes":[{"name":"n1"},{"name":"n9","pool":"fast"}],"dry_run":true)",
          R"("node apply","nodes":[])"}) {
        const bool is_all =
            request.find('*') != std::string::npos || request.find("[]") != std::string::npos;
        cluster.refuses({"{\"verb\":" + request + "}", Errc::refused,
                         is_all ? "that gets work; --force" : last});
    }
    // The other node of the pool leaves it through a list that omits the last one.
    cluster.join("n3", "fast");
    cluster.keeps();
    cluster.refuses({R"({"verb":"node apply","nodes":[{"name":"n1"},{"name":"n3","pool":"slow"}]})",
                     Errc::refused, last});
    cluster.refuses({R"({"verb":"node drain","pattern":"n[2-3]"})", Errc::refused,
                     "these are all 2 nodes of pool 'fast' that get work"});
}

TEST_CASE("an unknown node is refused with its name, in every request", "[bad_input]") {
    Unmoved cluster;
    for (const std::string verb : {"node offline", "node online", "node drain", "node remove"}) {
        cluster.refuses({"{\"verb\":\"" + verb + "\",\"pattern\":\"n7\"}", Errc::not_found,
                         "no node matches 'n7'; see 'muster node list'"});
        cluster.refuses({"{\"verb\":\"" + verb + "\",\"pattern\":\"\"}", Errc::invalid,
                         "'*' matches every name"});
        cluster.refuses({"{\"verb\":\"" + verb + "\"}", Errc::malformed, "pattern is missing"});
    }
    cluster.refuses({R"({"verb":"node show","name":"n7"})", Errc::not_found, "n7"});
    cluster.refuses({R"({"verb":"explain","subject":"node","name":"n7"})", Errc::not_found,
                     "no node is called 'n7'; see 'muster node list'"});
    cluster.refuses({R"({"verb":"plan","fail":["node=n7"]})", Errc::not_found, "node=n7"});
    cluster.refuses({R"({"verb":"plan","fail":["n7"]})", Errc::invalid, "write node=n7"});
}

// Goal: no stored or displayed text can control a terminal or forge a line. Method: an escape in
// each text that an operator sends; C1 escapes and broken UTF-8 in free texts.
TEST_CASE("names and remarks with control characters are refused on input", "[bad_input]") {
    Unmoved cluster;
    const std::string esc = R"(a\u001b[2J)";
    for (const std::string field : {"\"pool\"", "\"spread\"", "\"group\""}) {
        for (const auto& json : requests_with(field + ":\"" + esc + "\"")) {
            cluster.refuses({json, field == "\"pool\"" ? Errc::malformed : Errc::invalid,
                             "a name is 1 to 63 of a-z 0-9 . _ -"});
        }
    }
    for (const std::string& constraint : {"k = " + esc, esc + " = v", "k in (" + esc + ")"}) {
        for (const auto& json : requests_with(R"("constraints":[")" + constraint + "\"]")) {
            cluster.refuses({json, Errc::invalid, "write rack = r7, rack != r7"});
        }
    }
    for (const std::string request :
         {R"("task add","task":{"name":"@","argv":["x"]})", R"("node show","name":"@")",
          R"("task show","name":"@")", R"("group show","name":"@")"}) {
        auto json = "{\"verb\":" + request + "}";
        json.replace(json.find('@'), 1, esc);
        cluster.refuses({json, Errc::malformed, "a name is 1 to 63 of a-z 0-9 . _ -"});
    }
    for (const std::string request :
         {R"("node add","nodes":[{"name":"sound"},{"name":"@"}])",
          R"("node add","nodes":[{"name":"n5","pool":"@"}])",
          R"("node apply","force":true,"nodes":[{"name":"@"}])", R"("node offline","pattern":"@")",
          R"("node drain","pattern":"@")", R"("task remove","pattern":"@")",
          R"("task scale","pattern":"@","instances":1)", R"("plan","fail":["node=@"])",
          R"("plan","without_tasks":["@"])"}) {
        auto json = "{\"verb\":" + request + "}";
        json.replace(json.find('@'), 1, esc);
        cluster.refuses({json, Errc::invalid, "a-z 0-9 . _ -"});
    }
    for (const std::string& evil :
         {esc, std::string{R"(two\nlines)"}, std::string{R"(a\u007f)"}, std::string{R"(\u009b31m)"},
          std::string{R"(\u0085)"}, std::string{R"(a\u202eb)"}, std::string{R"(a\u2066b)"},
          std::string{R"(a\u2028b)"}, std::string{R"(a\u2029b)"}, std::string{R"(a\u200fb)"},
          std::string{R"(\u061cb)"}}) {
        for (const std::string field : {"reason", "author"}) {
            for (const std::string verb :
                 {"node offline", "node online", "node drain", "node remove"}) {
                cluster.refuses(
                    {"{\"verb\":\"" + verb + R"(","pattern":"n1",")" + field + "\":\"" + evil +
                         "\"}",
                     Errc::invalid,
                     "the " + field +
                         " has control characters, for example marks of the direction of writing, "
                         "or bytes that are not UTF-8; it is one line of text"});
            }
        }
    }
    const Occasion raw_bytes{.reason =
                                 "\x9b"
                                 "31m"};
    const auto reply = cluster.harness.ask(NodeOfflineRequest{"n1", raw_bytes});
    REQUIRE_FALSE(reply->result);
    CHECK(reply->result.error().code == Errc::invalid);
    const Occasion german{.reason =
                              "L\xc3\xbc"
                              "fter laut \xe2\x80\x93 tauschen"};
    CHECK(cluster.harness.ask(NodeOfflineRequest{"n1", german})->result);
}

TEST_CASE("an agent whose name, pool or labels have control characters is refused", "[bad_input]") {
    for (const std::string fields :
         {R"(,"pool":"a\u001b")", R"(,"labels":{"rack":"r\u001b[2J"})",
          R"(,"labels":{"ra\u0007ck":"r1"})", R"(,"labels":{"rack":"r\u009b1"})"}) {
        const Error error = refusal_of(fields);
        CHECK((error.code == Errc::invalid || error.code == Errc::malformed));
        CHECK_THAT(error.detail, Catch::Contains("1 to 63 of"));
    }
}

TEST_CASE("a list of nodes with a control character is refused with its line", "[bad_input]") {
    for (const std::string line : {"name = \"a\\u001b[2J\"", "name = 'n1'\npool = \"a\\u0007\""}) {
        const auto nodes = nodes_from_toml("[[node]]\n" + line + "\n", "nodes.toml");
        REQUIRE_FALSE(nodes);
        CHECK_THAT(nodes.error().detail,
                   Catch::StartsWith("nodes.toml:1: ") && Catch::Contains("a name is 1 to 63"));
    }
}
