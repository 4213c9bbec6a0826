// Every bound of common/base/limits.hpp that the codec checks, at the limit and one above it.

#include "common/base/limits.hpp"

#include <functional>
#include <string>

#include "tests/catch.hpp"

#include "common/codec/codec.hpp"
#include "tests/unit/allocations.hpp"

using namespace muster;

namespace {

/// The result of both forms for an agent's message; they must agree.
Result<void> through_both_forms(const AgentMessage& message) {
    std::string frame;
    codec::encode(message, frame);
    AgentMessage read;
    auto result = codec::decode(frame, read);
    const auto twin = codec::agent_message_from_json(codec::to_json(message));
    CHECK(result.has_value() == twin.has_value());
    return result;
}

Result<void> through_both_forms(const RequestBody& body) {
    std::string frame;
    codec::encode(Request{{}, body}, frame);
    const auto read = codec::decode_request(frame);
    const auto twin = codec::request_from_json(codec::to_json(Request{{}, body}));
    CHECK(read.has_value() == twin.has_value());
    return read ? Result<void>{} : tl::unexpected{read.error()};
}

Result<void> task_named(const std::string& name) {
    return through_both_forms(RequestBody{TaskShowRequest{name}});
}

AgentMessage snapshot_of(std::size_t count, const std::string& task = "w") {
    InstanceReport instance;
    instance.id.task = task;
    Report report;
    report.kind = ReportKind::snapshot;
    report.instances.assign(count, instance);
    return report;
}

RequestBody add_with(const std::function<void(TaskSpec&)>& change) {
    WantedTask task;
    task.name = "w";
    task.spec.argv = {"x"};
    change(task.spec);
    return TaskAddRequest{task};
}

}  // namespace

TEST_CASE("a name must follow the rule for names in both forms", "[codec][limits]") {
    CHECK(task_named(std::string(limits::name_bytes, 'a')));
    for (const std::string& bad : {std::string(limits::name_bytes + 1, 'a'), std::string{},
                                   std::string{"../x"}, std::string{"a\nb"}}) {
        CAPTURE(bad);
        CHECK_FALSE(task_named(bad));
        CHECK_FALSE(through_both_forms(snapshot_of(1, bad)));
    }
}

TEST_CASE("a snapshot has at most as many instances as a node can run", "[codec][limits]") {
    CHECK(through_both_forms(snapshot_of(limits::instances_per_node)));
    const auto over = through_both_forms(snapshot_of(limits::instances_per_node + 1));
    REQUIRE_FALSE(over);
    CHECK(over.error().code == Errc::too_large);
    CHECK(over.error().detail.find("instances") != std::string::npos);
}

TEST_CASE("a pattern, a spec's arguments and its variables have their bounds", "[codec][limits]") {
    CHECK(
        through_both_forms(RequestBody{NodeListRequest{std::string(limits::pattern_bytes, '*')}}));
    CHECK_FALSE(through_both_forms(
        RequestBody{NodeListRequest{std::string(limits::pattern_bytes + 1, '*')}}));

    const auto with_words = [](std::size_t count) {
        return add_with([&](TaskSpec& spec) { spec.argv.resize(count); });
    };
    CHECK(through_both_forms(with_words(limits::argv_count)));
    CHECK_FALSE(through_both_forms(with_words(limits::argv_count + 1)));

    const auto with_variables = [](std::size_t count) {
        return add_with([&](TaskSpec& spec) {
            for (std::size_t i = 0; i < count; ++i) {
                spec.env["V" + std::to_string(i)] = "";
            }
        });
    };
    CHECK(through_both_forms(with_variables(limits::env_count)));
    CHECK_FALSE(through_both_forms(with_variables(limits::env_count + 1)));

    const auto with_word = [](std::size_t bytes) {
        return add_with([&](TaskSpec& spec) { spec.argv = {std::string(bytes, 'x')}; });
    };
    CHECK(through_both_forms(with_word(limits::spec_text_bytes)));
    CHECK_FALSE(through_both_forms(with_word(limits::spec_text_bytes + 1)));
}

TEST_CASE("a number that does not fit its type is refused, not wrapped", "[codec][limits]") {
    for (const char* const request :
         {R"({"verb":"task scale","pattern":"w","instances":4294967296})",
          R"({"verb":"task scale","pattern":"w","instances":-1})",
          R"({"verb":"task scale","pattern":"w","instances":1.0})",
          R"({"verb":"task scale","pattern":"w","instances":"1"})",
          R"({"verb":"task scale","pattern":"w","instances":null})",
          R"({"verb":"task scale","pattern":"w"})"}) {
        CAPTURE(request);
        const auto read = codec::request_from_json(request);
        REQUIRE_FALSE(read);
        CHECK(read.error().detail.find("instances") != std::string::npos);
    }
    CHECK(
        codec::request_from_json(R"({"verb":"task scale","pattern":"w","instances":4294967295})"));
    const std::string head = "\x83\xa4verb\xaatask scale\xa7pattern\xa1w\xa9instances";
    using namespace std::string_literals;
    CHECK(codec::decode_request(head + "\xce\xff\xff\xff\xff"s));
    CHECK_FALSE(codec::decode_request(head + "\xcf\x00\x00\x00\x01\x00\x00\x00\x00"s));
    CHECK_FALSE(codec::decode_request(head + "\xff"s));
    CHECK(codec::decode_request(head + "\xd3\x00\x00\x00\x00\x00\x00\x00\x05"s));
}

// Goal: JSON does not avoid a bound of msgpack. Method: the same map at its bound and above it, in
// both forms; unknown keys are skipped.
TEST_CASE("a map has at most 64 keys of at most 63 bytes in both forms", "[codec][limits]") {
    using namespace std::string_literals;
    const auto with_keys = [](std::size_t count, std::size_t bytes) {
        std::string text = R"({"type":"departure","incarnation":1)";
        std::string frame = "\xde\x00"s + static_cast<char>(count) +
                            "\xa4type\xa9"
                            "departure" +
                            "\xabincarnation\x01";
        for (std::size_t i = 2; i < count; ++i) {
            const auto key = std::to_string(i) + std::string(bytes - std::to_string(i).size(), 'k');
            text += ",\"" + key + "\":0";
            frame += "\xd9"s + static_cast<char>(bytes) + key + '\0';
        }
        AgentMessage message;
        const auto read = codec::decode(frame, message);
        const auto twin = codec::agent_message_from_json(text + '}');
        REQUIRE(read.has_value() == twin.has_value());
        CHECK((read || read.error().code == twin.error().code));
        return read.has_value();
    };
    CHECK(with_keys(limits::map_fields, limits::name_bytes));
    CHECK_FALSE(with_keys(limits::map_fields + 1, limits::name_bytes));
    CHECK_FALSE(with_keys(limits::map_fields, limits::name_bytes + 1));

    std::string tasks = R"({"verb":"task add","task":{"name":"w","argv":["x"])";
    for (std::size_t i = 0; i < limits::map_fields; ++i) {
        tasks += ",\"k" + std::to_string(i) + "\":0";
    }
    CHECK(codec::request_from_json(tasks + "}}").error().code == Errc::too_large);
}

// Goal: the size is checked first. Method: frames a byte above their limit, and their memory use.
TEST_CASE("a frame above its size is refused before it is read", "[codec][limits]") {
    const std::string agent_frame(limits::agent_message_bytes + 1, '\x01');
    const std::string upload(limits::upload_bytes + 1, '\x01');
    const auto long_request = '{' + std::string(limits::operator_message_bytes, ' ');
    AgentMessage message;
    const auto grown = allocations::bytes_of([&] {
        CHECK(codec::decode(agent_frame, message).error().code == Errc::too_large);
        CHECK(codec::decode_request(upload).error().code == Errc::too_large);
        CHECK(codec::decode_reply(upload).error().code == Errc::too_large);
        CHECK(codec::request_from_json(long_request).error().code == Errc::too_large);
        CHECK(codec::request_from_text(std::string_view{upload}).error().code == Errc::too_large);
    });
    CHECK(grown < 64 * 1024);
}

// Goal: a steady poll allocates nothing. Method: read the same messages again, with memory
// allocated.
TEST_CASE("a message read into a similar one allocates nothing", "[codec][limits]") {
    std::string frame;
    const AgentMessage snapshot = snapshot_of(100);
    AgentMessage read;
    codec::encode(snapshot, frame);
    REQUIRE(codec::decode(frame, read));
    CHECK(allocations::bytes_of([&] {
              codec::encode(snapshot, frame);
              (void)codec::decode(frame, read);
          }) == 0);
}
