// The fields of a spec on the wire, beyond the round trips of every message.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"

using namespace muster;
using namespace std::string_literals;

namespace {

/// A batch of a later version: it has one more field, and this version's key has its default.
std::string batch_with(std::string_view known_key, std::string_view later_key,
                       const TaskSpec& spec) {
    Batch batch;
    batch.specs = {{"web", Generation{1}, spec}, {"db", Generation{1}, {}}};
    std::string frame;
    codec::encode(CoordinatorMessage{batch}, frame);
    const auto at = frame.find(known_key);
    REQUIRE(at != std::string::npos);
    return frame.replace(at, known_key.size(), later_key);
}

std::vector<std::string> unknown_keys_of(const std::string& frame) {
    CoordinatorMessage message;
    REQUIRE(codec::decode(frame, message));
    std::vector<std::string> keys;
    for (const SpecVersion& version : std::get<Batch>(message).specs) {
        keys.push_back(version.unknown_key);
    }
    return keys;
}

Request adding(const TaskSpec& spec) {
    WantedTask task;
    task.name = "web";
    task.spec = spec;
    return {{}, TaskAddRequest{task}};
}

TaskSpec plain_spec() {
    TaskSpec spec;
    spec.argv = {"x"};
    return spec;
}

/// A `task add` in JSON with these further fields: `"nice":5`.
Result<TaskSpec> from_json(const std::string& fields) {
    auto read = codec::request_from_json(
        R"({"verb":"task add","task":{"name":"web","argv":["x"],)" + fields + "}}");
    if (!read) {
        return tl::unexpected{read.error()};
    }
    return std::get<TaskAddRequest>(read->body).task.spec;
}

/// The same in msgpack: `count` pairs after name and argv.
Result<TaskSpec> from_msgpack(char count, const std::string& pairs) {
    auto read = codec::decode_request("\x82\xa4verb\xa8task add\xa4task"s +
                                      static_cast<char>(0x82 + count) +
                                      "\xa4name\xa3web\xa4"
                                      "argv\x91\xa1x" +
                                      pairs);
    if (!read) {
        return tl::unexpected{read.error()};
    }
    return std::get<TaskAddRequest>(read->body).task.spec;
}

TaskSpec through_both_forms_of(const TaskSpec& spec) {
    std::string frame;
    codec::encode(adding(spec), frame);
    const auto read = codec::decode_request(frame);
    const auto twin = codec::request_from_json(codec::to_json(adding(spec)));
    REQUIRE(read);
    REQUIRE(twin);
    CHECK(*read == *twin);
    return std::get<TaskAddRequest>(read->body).task.spec;
}

std::string describe_error(const Result<TaskSpec>& result) {
    return result ? "read" : result.error().detail;
}

}  // namespace

// Goal: programs of the first release understand a task without new fields, and 100,000 of them fit
// one upload. Method: compare with the old text; store_upgrade_test.cpp has the bytes.
TEST_CASE("a plain task is written as in the first release", "[codec][spec]") {
    CHECK(codec::to_json(adding(plain_spec()))
              .find(R"("task":{"name":"web","instances":1,"argv":["x"],"env":{},"workdir":"",)"
                    R"("stop_signal":"TERM","grace_ms":10000,"restart":"always","max_per_node":1,)"
                    R"("update":{"max_surge":1,"max_unavailable":1}})") != std::string::npos);
}

TEST_CASE("a restart rule is only its policy if the rest is the default", "[codec][spec]") {
    auto spec = plain_spec();
    spec.restart.policy = RestartPolicy::never;
    CHECK(codec::to_json(adding(spec)).find(R"("restart":"never",)") != std::string::npos);
    CHECK(through_both_forms_of(spec) == spec);
    spec.restart.backoff = 2s;
    CHECK(codec::to_json(adding(spec)).find(R"("restart":{"policy":"never","backoff_ms":2000},)") !=
          std::string::npos);
    CHECK(through_both_forms_of(spec) == spec);

    const auto by_hand = from_json(R"("restart":{"max":5,"window_ms":60000})");
    REQUIRE(by_hand);
    CHECK(by_hand->restart == RestartRule{.max = 5, .window = 1min});
    const auto packed = from_msgpack(1, "\xa7restart\x82\xa3max\x05\xa6policy\xa5never"s);
    REQUIRE(packed);
    CHECK(packed->restart == RestartRule{.policy = RestartPolicy::never, .max = 5});
    CHECK(describe_error(from_json(R"("restart":"often")")) ==
          "task add: restart is not one of always, on-failure, never");
    CHECK(describe_error(from_json(R"("restart":5)")) == "task add: restart is not a text");
    CHECK_FALSE(from_msgpack(1, "\xa7restart\x05"s));
}

TEST_CASE("a kernel limit is a number, unlimited, or both soft and hard", "[codec][spec]") {
    auto spec = plain_spec();
    spec.rlimits = {{"core", {RlimitValue{0}, RlimitValue::unlimited}},
                    {"nofile", {RlimitValue{1024}, RlimitValue{1024}}},
                    {"stack", {RlimitValue::unlimited, RlimitValue::unlimited}}};
    CHECK(codec::to_json(adding(spec))
              .find(R"("rlimits":{"core":{"soft":0,"hard":"unlimited"},"nofile":1024,)"
                    R"("stack":"unlimited"})") != std::string::npos);
    CHECK(through_both_forms_of(spec) == spec);
    const auto packed = from_msgpack(1,
                                     "\xa7rlimits\x81\xa6nofile\x82\xa4hard\xa9unlimited\xa4"
                                     "soft\x05"s);
    REQUIRE(packed);
    CHECK(packed->rlimits.at("nofile") == Rlimit{RlimitValue{5}, RlimitValue::unlimited});

    CHECK(describe_error(from_json(R"("rlimits":{"core":"much"})")) ==
          "task add: rlimits is neither a whole number nor unlimited");
    CHECK(describe_error(from_json(R"("rlimits":{"core":{"soft":1}})")) ==
          "task add: hard is missing");
    CHECK(describe_error(from_json(R"("rlimits":{"core":-1})")) ==
          "task add: rlimits is not a whole number from 0 on");
    CHECK_FALSE(from_msgpack(1,
                             "\xa7rlimits\x81\xa4"
                             "core\xa4much"s));
    CHECK_FALSE(from_msgpack(1,
                             "\xa7rlimits\x82\xa4"
                             "core\x01\xa4"
                             "core\x02"s));
}

// Goal: an exclusive task need not set max_surge, in any order of keys.
TEST_CASE("an exclusive task without max_surge is read with 0", "[codec][spec]") {
    for (const std::string fields :
         {R"("exclusive":true)", R"("exclusive":true,"update":{"max_unavailable":1})",
          R"("update":{},"exclusive":true)"}) {
        const auto spec = from_json(fields);
        REQUIRE(spec);
        CHECK(spec->update == UpdatePolicy{.max_surge = 0, .max_unavailable = 1});
    }
    const auto exclusive =
        "\xa9"
        "exclusive\xc3"s;
    const auto update =
        "\xa6update\x81\xaf"
        "max_unavailable\x01"s;
    for (const auto& pairs : {exclusive + update, update + exclusive}) {
        const auto spec = from_msgpack(2, pairs);
        REQUIRE(spec);
        CHECK(spec->update == UpdatePolicy{.max_surge = 0, .max_unavailable = 1});
    }
    const auto spec = from_json(R"("exclusive":true,"update":{"max_surge":1})");
    REQUIRE(spec);
    CHECK(spec->update.max_surge == 1);
    const auto shared = from_json(R"("update":{"max_unavailable":2})");
    REQUIRE(shared);
    CHECK(shared->update == UpdatePolicy{.max_surge = 1, .max_unavailable = 2});
}

TEST_CASE("the lists of a spec have their bounds in both forms", "[codec][spec][limits]") {
    const std::vector<std::pair<std::size_t, std::vector<std::string> TaskSpec::*>> lists{
        {limits::env_files, &TaskSpec::env_files},
        {limits::secrets, &TaskSpec::secrets},
        {limits::cluster_secrets, &TaskSpec::cluster_secrets},
        {limits::argv_count, &TaskSpec::pre_start},
        {limits::argv_count, &TaskSpec::post_stop},
    };
    for (const auto& [most, member] : lists) {
        auto spec = plain_spec();
        (spec.*member).assign(most, "x");
        CHECK(through_both_forms_of(spec) == spec);
        (spec.*member).emplace_back("x");
        std::string frame;
        codec::encode(adding(spec), frame);
        const auto read = codec::decode_request(frame);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == Errc::too_large);
        CHECK_FALSE(codec::request_from_json(codec::to_json(adding(spec))));
    }
}

// Goal: an agent notices an unknown field of a spec. Method: rename a field in the bytes of a
// batch, in the spec and in a map of it.
TEST_CASE("a spec of a batch keeps the name of an unknown field", "[codec][spec]") {
    TaskSpec spec = plain_spec();
    spec.nice = 5;
    spec.limits.pids = 7;
    using Keys = std::vector<std::string>;
    CHECK(unknown_keys_of(batch_with("nice", "nice", spec)) == Keys{"", ""});
    CHECK(unknown_keys_of(batch_with("nice", "nyce", spec)) == Keys{"nyce", ""});
    CHECK(unknown_keys_of(batch_with("pids", "pods", spec)) == Keys{"pods", ""});
}

// Goal: no task runs without a field that its author wrote. Method: requests in both forms with a
// misspelled field of the spec, of a map in it and of the placement; then the correct one.
TEST_CASE("a request with a task that has an unknown field is refused with the one that was meant",
          "[codec][spec]") {
    const auto fault_in_json = [](const std::string& fields) {
        const auto read = from_json(fields);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == Errc::invalid);
        return read.error().detail;
    };
    CHECK(fault_in_json(R"("usr":"www")") ==
          "task add: task 'web' has a field 'usr', which does not exist; did you mean 'user'?");
    CHECK(fault_in_json(R"("limits":{"pds":7})") ==
          "task add: task 'web' has a field 'pds', which does not exist; did you mean 'pids'?");
    CHECK(fault_in_json(R"("update":{"xyzzyxyzzy":7})") ==
          "task add: task 'web' has a field 'xyzzyxyzzy', which does not exist; the fields are "
          "max_surge, max_unavailable, min_healthy_ms");
    CHECK_THAT(fault_in_json(R"("constraint":[])"), Catch::Contains("mean 'constraints'?"));
    CHECK(from_json(R"("user":"www")").value().user == "www");
    const auto second =
        codec::request_from_json(R"({"verb":"apply","later":1,"tasks":[{"name":"a","argv":["x"]},)"
                                 R"({"name":"b","argv":["x"],"nyce":1}]})");
    REQUIRE_FALSE(second);
    CHECK_THAT(second.error().detail, Catch::StartsWith("apply: task 'b' has a field 'nyce'"));

    TaskSpec spec = plain_spec();
    spec.user = "www";
    std::string frame;
    codec::encode(adding(spec), frame);
    REQUIRE(codec::decode_request(frame));
    const auto at = frame.find("user");
    const auto read = codec::decode_request(frame.replace(at, 4, "usxr"));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Errc::invalid);
    CHECK_THAT(read.error().detail, Catch::Contains("task 'web' has a field 'usxr', which does not "
                                                    "exist; did you mean 'user'?"));
}

// Goal: a command reads the tasks of a coordinator of a later version.
TEST_CASE("a reply with a task that has an unknown field is read without it", "[codec][spec]") {
    TaskShowReply shown;
    shown.task.name = shown.wanted.name = "web";
    shown.wanted.spec = plain_spec();
    shown.wanted.spec.user = "www";
    std::string frame;
    codec::encode(Reply{{}, ReplyBody{shown}}, frame);
    const auto at = frame.find("user");
    REQUIRE(at != std::string::npos);
    const auto read = codec::decode_reply(frame.replace(at, 4, "usxr"));
    REQUIRE(read);
    CHECK(std::get<TaskShowReply>(read->result.value()).wanted.spec == plain_spec());
}
