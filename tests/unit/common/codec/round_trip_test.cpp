#include <cstdint>
#include <string>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "tests/share.hpp"
#include "tests/unit/common/codec/codec_samples.hpp"
#include "tests/unit/common/codec/json_answers.hpp"

using namespace muster;
using codec_samples::Each;

namespace {

constexpr std::uint64_t samples_each = share_of(200);

/// Calls `use` with many random messages of every type of a variant.
template <class Variant, class Use>
void many(std::uint64_t seed, Use use) {
    Random random{seed};
    for (std::uint64_t i = 0; i < samples_each; ++i) {
        Each<Variant>::sample(random, use);
    }
}

Request request_of(RequestBody body) { return {RequestId{1, 2}, std::move(body)}; }
Reply reply_of(ReplyBody body) { return {RequestId{3, 4}, std::move(body)}; }

}  // namespace

// Goal: a message arrives unchanged. Method: decode random messages of every type into a message
// that holds the last one. Its memory is reused, its values must not be.
TEST_CASE("an agent's message decoded from msgpack equals the original", "[codec]") {
    std::string frame;
    AgentMessage read;
    many<AgentMessage>(1, [&](const AgentMessage& message) {
        codec::encode(message, frame);
        const auto result = codec::decode(frame, read);
        REQUIRE(result);
        CHECK(read == message);
    });
}

TEST_CASE("a coordinator's message decoded from msgpack equals the original", "[codec]") {
    std::string frame;
    CoordinatorMessage read;
    many<CoordinatorMessage>(2, [&](const CoordinatorMessage& message) {
        codec::encode(message, frame);
        const auto result = codec::decode(frame, read);
        REQUIRE(result);
        CHECK(read == message);
    });
}

TEST_CASE("a request decoded from msgpack equals the original", "[codec]") {
    std::string frame;
    many<RequestBody>(3, [&](const RequestBody& body) {
        codec::encode(request_of(body), frame);
        const auto read = codec::decode_request(frame);
        REQUIRE(read);
        CHECK(*read == request_of(body));
    });
}

TEST_CASE("a reply decoded from msgpack equals the original", "[codec]") {
    std::string frame;
    many<ReplyBody>(4, [&](const ReplyBody& body) {
        codec::encode(reply_of(body), frame);
        const auto read = codec::decode_reply(frame);
        REQUIRE(read);
        CHECK(*read == reply_of(body));
    });
}

TEST_CASE("every message decoded from JSON equals the original", "[codec][json]") {
    many<AgentMessage>(5, [](const AgentMessage& message) {
        const auto read = codec::agent_message_from_json(codec::to_json(message));
        REQUIRE(read);
        CHECK(*read == message);
    });
    many<CoordinatorMessage>(6, [](const CoordinatorMessage& message) {
        const auto read = codec::coordinator_message_from_json(codec::to_json(message));
        REQUIRE(read);
        CHECK(*read == message);
    });
    many<RequestBody>(7, [](const RequestBody& body) {
        const auto read = codec::request_from_json(codec::to_json(request_of(body)));
        REQUIRE(read);
        CHECK(*read == request_of(body));
    });
    many<ReplyBody>(8, [](const ReplyBody& body) {
        const auto read = codec::reply_from_json(codec::to_json(reply_of(body)));
        REQUIRE(read);
        CHECK(*read == reply_of(body));
    });
    many<std::variant<Event>>(9, [](const std::variant<Event>& event) {
        const auto read = codec::event_from_json(codec::to_json(std::get<Event>(event)));
        REQUIRE(read);
        CHECK(*read == std::get<Event>(event));
    });
}

// Goal: reused memory keeps nothing of the previous message. Method: decode the same types
// repeatedly into one message, longer and shorter.
TEST_CASE("a message read over another of its kind keeps nothing of it", "[codec]") {
    Random random{10};
    std::string frame;
    AgentMessage report;
    CoordinatorMessage batch;
    for (std::uint64_t i = 0; i < samples_each; ++i) {
        const AgentMessage sent_report{codec_samples::sample<Report>(random)};
        codec::encode(sent_report, frame);
        REQUIRE(codec::decode(frame, report));
        CHECK(report == sent_report);
        const CoordinatorMessage sent_batch{codec_samples::sample<Batch>(random)};
        codec::encode(sent_batch, frame);
        REQUIRE(codec::decode(frame, batch));
        CHECK(batch == sent_batch);
    }
}

// Goal: the same when a foreign writer omits fields with defaults.
TEST_CASE("a spec read over another has defaults for omitted fields", "[codec]") {
    using namespace std::string_literals;
    const auto id =
        "\xc4\x10"
        "0123456789abcdef"s;
    const auto batch_of = [&](const std::string& spec) {
        return "\x9a\x04"s + id + "\x01" + id + "\x01\x01\x01\x91\x93\xa1w\x01" + spec + "\x90\x90";
    };
    CoordinatorMessage message;
    REQUIRE(codec::decode(batch_of("\x82\xa4"
                                   "argv\x91\xa1x\xa7workdir\xa4/srv"s),
                          message));
    CHECK(std::get<Batch>(message).specs.at(0).spec.workdir == "/srv");
    REQUIRE(codec::decode(batch_of("\x81\xa4"
                                   "argv\x91\xa1y"s),
                          message));
    TaskSpec expected;
    expected.argv = {"y"};
    CHECK(std::get<Batch>(message).specs.at(0).spec == expected);
}

// Goal: a refusal is an ordinary reply. Method: an error of every code, in both forms.
TEST_CASE("a reply that is an error keeps its code and its sentence", "[codec]") {
    std::string frame;
    for (auto code = Errc::malformed; code <= Errc::io; code = next(code)) {
        const Reply reply{RequestId{5, 6}, fail(code, "no such thing")};
        codec::encode(reply, frame);
        const auto read = codec::decode_reply(frame);
        REQUIRE(read);
        CHECK(*read == reply);
        const auto twin = codec::reply_from_json(codec::to_json(reply));
        REQUIRE(twin);
        CHECK(*twin == reply);
    }
}

// Goal: the reply to a plan is readable however much is in progress. Method: the longest sentence.
TEST_CASE("a plan says all that it did not wait for", "[codec]") {
    PlanReply plan;
    plan.unsettled =
        "100000 instances are being started, 100000 instances are being replaced, "
        "100000 instances are being stopped";
    std::string frame;
    codec::encode(Reply{{}, ReplyBody{plan}}, frame);
    const auto read = codec::decode_reply(frame);
    REQUIRE(read);
    CHECK(std::get<PlanReply>(*read->result).unsettled == plan.unsettled);
}

// Goal: a steady round costs almost nothing. Method: measure its frames.
TEST_CASE("a poll and its answer `same` are at most 40 bytes", "[codec]") {
    constexpr std::uint64_t late = 10'000'000;
    std::string frame;
    codec::encode(Poll{Epoch{200}, Round{late}, Incarnation{900}, Revision{late}, Sequence{late}},
                  frame);
    CHECK(frame.size() <= 40);
    Report same;
    same.epoch = Epoch{200};
    same.round = Round{late};
    same.incarnation = Incarnation{900};
    same.from = same.to = Revision{late};
    same.obeyed = Sequence{late};
    same.host.load_milli = 1500;
    codec::encode(AgentMessage{same}, frame);
    CHECK(frame.size() <= 40);
}

// Goal: a sentence that is too long for its field does not invalidate the message.
// Method: write one where the limit falls into the middle of a character.
TEST_CASE("a writer cuts a sentence to its field, between two characters", "[codec]") {
    Report report;
    report.instances.emplace_back().id = {"web", 0};
    report.instances[0].detail = std::string(limits::detail_bytes - 1, 'x') + "\xc3\xa4 and more";
    std::string frame;
    codec::encode(AgentMessage{report}, frame);
    AgentMessage read;
    REQUIRE(codec::decode(frame, read));
    CHECK(std::get<Report>(read).instances[0].detail == std::string(limits::detail_bytes - 1, 'x'));
    const auto twin = codec::agent_message_from_json(codec::to_json(AgentMessage{report}));
    REQUIRE(twin);
    CHECK(*twin == read);
}

// Goal: arguments of a task can have any bytes, and their JSON is still valid.
TEST_CASE("bytes that are not UTF-8 become replacement characters in JSON", "[codec][json]") {
    WantedTask task;
    task.name = "web";
    task.spec.argv = {"x\xff"};
    const auto read = codec::request_from_json(codec::to_json(request_of(TaskAddRequest{task})));
    REQUIRE(read);
    CHECK(std::get<TaskAddRequest>(read->body).task.spec.argv[0] == "x\xef\xbf\xbd");
}

TEST_CASE("frame 0 is checked for the protocol and for its version", "[codec]") {
    CHECK(codec::check_version(codec::version_frame()));
    CHECK(codec::version_frame().back() == codec::protocol_version);
    const auto later = codec::check_version("MUSTER\x02");
    REQUIRE_FALSE(later);
    CHECK(later.error().code == Errc::unsupported_version);
    CHECK(later.error().detail.find("spoken here: 1") != std::string::npos);
    for (const std::string_view frame : {"", "MUSTER", "muster\x01", "MUSTER\x01\x01", "{}"}) {
        const auto wrong = codec::check_version(frame);
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error().code == Errc::malformed);
    }
}
