#include <set>
#include <string>
#include <variant>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/base/random.hpp"
#include "common/codec/codec.hpp"
#include "common/text/suggestions.hpp"

using namespace muster;

namespace {

RequestBody body_of(std::string_view line) {
    const auto request = codec::request_from_text(line);
    CAPTURE(line);
    REQUIRE(request);
    return request->body;
}

Error error_of(std::string_view line) {
    const auto request = codec::request_from_text(line);
    CAPTURE(line);
    REQUIRE_FALSE(request);
    return request.error();
}

}  // namespace

// Goal: help is correct. Method: every request has its line, and its example parses as that
// request.
TEST_CASE("help names every verb once, with an example that is understood", "[verbs]") {
    const auto& help = codec::verbs().verbs;
    std::set<std::string> named;
    for (const auto& verb : help) {
        CAPTURE(verb.verb);
        CHECK(named.insert(verb.verb).second);
        CHECK_FALSE(verb.summary.empty());
        const auto request = verb.example.starts_with('{') ? codec::request_from_json(verb.example)
                                                           : codec::request_from_text(verb.example);
        REQUIRE(request);
        CHECK(codec::verb_of(request->body) == verb.verb);
    }
    CHECK(help.size() == std::variant_size_v<RequestBody::Base>);
}

TEST_CASE("a line of words is a request", "[verbs]") {
    CHECK(body_of("status\r\n") == RequestBody{StatusRequest{}});
    CHECK(body_of("  node   list ") == RequestBody{NodeListRequest{}});
    CHECK(body_of("node list n[1-40]") == RequestBody{NodeListRequest{"n[1-40]"}});
    CHECK(body_of("node show n1") == RequestBody{NodeShowRequest{"n1"}});
    CHECK(body_of("group list") == RequestBody{GroupListRequest{}});
    CHECK(body_of("group show cache") == RequestBody{GroupShowRequest{"cache"}});
    CHECK(body_of("node offline n[1-2]") == RequestBody{NodeOfflineRequest{"n[1-2]"}});
    CHECK(body_of("freeze on") == RequestBody{FreezeOnRequest{}});
    CHECK(body_of("freeze off") == RequestBody{FreezeOffRequest{}});
    CHECK(body_of("freeze show") == RequestBody{FreezeShowRequest{}});
    CHECK(body_of("node forgive n1") == RequestBody{NodeForgiveRequest{"n1"}});
    CHECK(body_of("node drain n1 10m") ==
          RequestBody{NodeDrainRequest{.pattern = "n1", .deadline_ms = 600'000}});
    CHECK(body_of("node add n1 n2") ==
          RequestBody{NodeAddRequest{{{.name = "n1"}, {.name = "n2"}}}});
    CHECK(body_of("limit set starts_per_round 0") ==
          RequestBody{LimitSetRequest{"starts_per_round", 0}});
    CHECK(body_of("limit set moves_per_round none") ==
          RequestBody{LimitSetRequest{"moves_per_round"}});
    CHECK(body_of("events") == RequestBody{EventsRequest{}});
    CHECK(body_of("events 17 5") == RequestBody{EventsRequest{17, 5}});
    CHECK(body_of("wait web-* 90s") == RequestBody{WaitRequest{"web-*", 90'000}});
    CHECK(body_of("task scale web 4") == RequestBody{TaskScaleRequest{"web", 4}});
    CHECK(body_of("store accept dry-run") == RequestBody{StoreAcceptRequest{true}});
    TaskAddRequest add;
    add.task.name = "web";
    add.task.instances = 2;
    add.task.spec.argv = {"sleep", "60"};
    CHECK(body_of("task add web 2 sleep 60") == RequestBody{add});
}

TEST_CASE("words that do not fit a verb are answered with its usage", "[verbs]") {
    for (const char* const line :
         {"status now", "task scale web", "task scale web four", "task scale web -1",
          "task scale web 4 5", "task scale web 4294967296", "node show", "group show", "wait",
          "wait web 2h", "wait web soon", "events x", "store accept now", "log level", "apply web",
          "round now now"}) {
        const auto error = error_of(line);
        CHECK(error.code == Errc::invalid);
        CHECK(error.detail.find("usage: ") != std::string::npos);
    }
}

TEST_CASE("an unknown verb is answered with similar ones", "[verbs]") {
    const auto typo = error_of("task scael web 4");
    CHECK(typo.code == Errc::unknown_verb);
    CHECK(typo.detail.find("did you mean 'task scale'") != std::string::npos);
    for (const char* const line : {"xyzzy", "task", "GET / HTTP/1.1", "\xff\xfe", "[1]"}) {
        CHECK(error_of(line).code == Errc::unknown_verb);
    }
    CHECK(error_of("log-level debug").detail.find("did you mean 'log level'") != std::string::npos);
    for (const char* const line : {"", " \n"}) {
        CHECK(error_of(line).code == Errc::malformed);
    }
    const auto in_json = codec::request_from_json(R"({"verb":"stauts"})");
    REQUIRE_FALSE(in_json);
    CHECK(in_json.error().code == Errc::unknown_verb);
    CHECK(in_json.error().detail.find("status") != std::string::npos);
}

TEST_CASE("only requests that modify the store are changes", "[verbs]") {
    CHECK(codec::is_change(body_of("task scale web 4")));
    CHECK(codec::is_change(body_of("task remove web")));
    CHECK(codec::is_change(body_of("store accept")));
    CHECK(codec::is_change(RequestBody{ApplyRequest{}}));
    CHECK_FALSE(codec::is_change(RequestBody{ApplyRequest{{}, false, true}}));
    for (const char* const line : {"status", "node list", "wait web", "store accept dry-run",
                                   "round now", "log level debug"}) {
        CHECK_FALSE(codec::is_change(body_of(line)));
    }
}

TEST_CASE("random lines never crash the reader of lines", "[verbs][hostile]") {
    Random random{31};
    for (int i = 0; i < 5'000; ++i) {
        std::string line = random.chance(1, 2) ? "task " : "";
        for (auto left = random.below(40); left > 0; --left) {
            line += static_cast<char>(random.next());
        }
        CHECK_FALSE(codec::request_from_text(line));
    }
}

TEST_CASE("the most similar words come first and unrelated words have none", "[verbs]") {
    constexpr std::string_view known[] = {"instances", "instance", "argv", "env"};
    CHECK(suggestions("instanc", known) == std::vector<std::string_view>{"instance", "instances"});
    CHECK(suggestions("argb", known).front() == "argv");
    CHECK(suggestions("xylophone", known).empty());
    CHECK(suggestions(std::string(100'000, 'x'), known).empty());
}

// Goal: a typed line has the same bounds as the request in any other form.
// Method: a pattern, a level and an argument that are each too long by one byte.
TEST_CASE("a typed line has the bounds of a message", "[verbs][limits]") {
    const auto code_of = [](const std::string& line) {
        const auto request = codec::request_from_text(line);
        REQUIRE_FALSE(request);
        return request.error().code;
    };
    CHECK(code_of("task list " + std::string(limits::pattern_bytes + 1, 'x')) == Errc::too_large);
    CHECK(code_of("log level " + std::string(limits::name_bytes + 1, 'x')) == Errc::too_large);
    CHECK(code_of("task add a 1 " + std::string(limits::spec_text_bytes + 1, 'x')) ==
          Errc::too_large);
}
