// Bytes that no correct program sends. The decoders refuse or understand them, and never crash,
// hang or grow.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"
#include "common/codec/json/reader.hpp"
#include "common/codec/msgpack/cursor.hpp"
#include "tests/share.hpp"
#include "tests/unit/allocations.hpp"
#include "tests/unit/common/codec/codec_samples.hpp"
#include "tests/unit/common/codec/json_answers.hpp"

using namespace muster;
using codec_samples::Each;

namespace {

using namespace std::string_literals;

/// Gives the bytes to every decoder of a form, and counts those that accept them.
int decode_as_msgpack(const std::string& bytes) {
    AgentMessage agent_message;
    CoordinatorMessage coordinator_message;
    return static_cast<int>(codec::decode(bytes, agent_message).has_value()) +
           static_cast<int>(codec::decode(bytes, coordinator_message).has_value()) +
           static_cast<int>(codec::decode_request(bytes).has_value()) +
           static_cast<int>(codec::decode_reply(bytes).has_value());
}

int decode_as_json(const std::string& bytes) {
    return static_cast<int>(codec::agent_message_from_json(bytes).has_value()) +
           static_cast<int>(codec::coordinator_message_from_json(bytes).has_value()) +
           static_cast<int>(codec::request_from_json(bytes).has_value()) +
           static_cast<int>(codec::reply_from_json(bytes).has_value()) +
           static_cast<int>(codec::event_from_json(bytes).has_value());
}

int decode_everywhere(const std::string& bytes) {
    return decode_as_msgpack(bytes) + decode_as_json(bytes);
}

/// One random frame of every message type.
std::vector<std::string> frames_of_every_kind(std::uint64_t seed) {
    Random random{seed};
    std::vector<std::string> frames;
    const auto add_encoded = [&](const auto& message) {
        codec::encode(message, frames.emplace_back());
    };
    Each<AgentMessage>::sample(random, add_encoded);
    Each<CoordinatorMessage>::sample(random, add_encoded);
    Each<RequestBody>::sample(random, [&](const RequestBody& body) {
        add_encoded(Request{RequestId{1, 2}, body});
    });
    Each<ReplyBody>::sample(random, [&](const ReplyBody& body) {
        add_encoded(Reply{RequestId{1, 2}, body});
    });
    return frames;
}

/// The same as JSON.
std::vector<std::string> texts_of_every_kind(std::uint64_t seed) {
    Random random{seed};
    std::vector<std::string> texts;
    const auto add = [&](const auto& message) { texts.push_back(codec::to_json(message)); };
    Each<AgentMessage>::sample(random, add);
    Each<CoordinatorMessage>::sample(random, add);
    Each<RequestBody>::sample(random, [&](const RequestBody& body) {
        add(Request{RequestId{1, 2}, body});
    });
    Each<ReplyBody>::sample(random, [&](const ReplyBody& body) {
        add(Reply{RequestId{1, 2}, body});
    });
    return texts;
}

Errc code_of(const Result<void>& result) {
    REQUIRE_FALSE(result);
    return result.error().code;
}

Result<void> decode_agent(const std::string& frame) {
    AgentMessage message;
    return codec::decode(frame, message);
}

/// A map {"type": "departure", "incarnation": 1, "x": value}, valid except for an unknown value.
std::string departure_with(const std::string& value) {
    return "\x83\xa4type\xa9"
           "departure\xabincarnation\x01\xa1x"s +
           value;
}

}  // namespace

// Goal: a truncated message is refused. Method: every message type, cut at every byte.
TEST_CASE("a frame that ends too early is refused at every length", "[codec][hostile]") {
    Random random{21};
    for (const auto& frame : frames_of_every_kind(21)) {
        REQUIRE(decode_as_msgpack(frame) > 0);
        for (std::size_t size = 0; size < frame.size(); size += stride(random)) {
            CHECK(decode_as_msgpack(frame.substr(0, size)) == 0);
        }
    }
}

// Goal: no byte can do harm. Method: flip every bit of the first bytes of every message, and one
// bit of each later byte. The memory that a flip can request is bounded.
TEST_CASE("a flipped bit never crashes a decoder and never makes it grow", "[codec][hostile]") {
    constexpr std::size_t head = 32;
    constexpr std::size_t slack = 64 * 1024;
    Random random{26};
    for (auto frame : frames_of_every_kind(22)) {
        for (std::size_t turn = 0; turn < 8 * head + frame.size(); turn += stride(random)) {
            const bool is_head = turn < 8 * head;
            auto& byte = frame[is_head ? (turn / 8) % frame.size() : turn - 8 * head];
            const auto flip = static_cast<char>(1U << (is_head ? turn % 8 : random.below(8)));
            byte = static_cast<char>(byte ^ flip);
            const auto grown = allocations::bytes_of([&] { (void)decode_as_msgpack(frame); });
            if (grown > 64 * frame.size() + slack) {
                FAIL_CHECK("turn " << turn << " made a decoder ask for " << grown << " bytes");
            }
            byte = static_cast<char>(byte ^ flip);
        }
    }
}

// Goal: the same for JSON. Method: replace random bytes, and cut every text.
TEST_CASE("a changed or cut JSON text never crashes its decoders", "[codec][json][hostile]") {
    Random random{25};
    for (auto text : texts_of_every_kind(24)) {
        REQUIRE(decode_as_json(text) > 0);
        for (std::size_t at = 0; at < text.size(); at += stride(random) * (1 + random.below(16))) {
            const char before = std::exchange(text[at], static_cast<char>(random.next()));
            (void)decode_as_json(text);
            text[at] = before;
        }
        CHECK(decode_as_json(text.substr(0, random.below(text.size()))) == 0);
    }
}

TEST_CASE("random bytes are refused", "[codec][hostile]") {
    Random random{23};
    for (std::uint64_t i = 0; i < share_of(5'000); ++i) {
        std::string bytes(random.below(64), '\0');
        for (auto& byte : bytes) {
            byte = static_cast<char>(random.next());
        }
        CHECK(decode_everywhere(bytes) == 0);
    }
}

// Goal: a header alone reserves nothing. Method: five bytes that announce 4,294,967,295 elements,
// in place of a message, a list, a text and an unknown value.
TEST_CASE("a few bytes that announce gigabytes allocate nothing", "[codec][hostile]") {
    const auto array = "\xdd\xff\xff\xff\xff"s;
    const auto map = "\xdf\xff\xff\xff\xff"s;
    const auto text = "\xdb\xff\xff\xff\xff"s;
    const auto bytes = "\xc6\xff\xff\xff\xff"s;
    const std::string report_head = "\x9b\x01\x02\x01\x01\x01\x00\x01\x00\x93\x00\xc2\xc2"s;
    for (const auto& bomb : {array, map, text, bytes}) {
        for (const auto& frame : {bomb, report_head + bomb, departure_with(bomb),
                                  "\x82\xa4verb\xa5"
                                  "apply\xa5tasks"s +
                                      bomb,
                                  "\x82\xa4name"s + bomb}) {
            int taken = 0;
            // The only allocation is the sentence of the error.
            const auto grown = allocations::bytes_of([&] { taken = decode_everywhere(frame); });
            CHECK(taken == 0);
            CHECK(grown < 16 * 1024);
        }
    }
}

// Goal: nesting cannot exhaust the stack. Method: 100,000 open brackets in both forms, as a message
// and as a value of an unknown key.
TEST_CASE("nesting is refused above the limit and skipped within it", "[codec][hostile]") {
    constexpr std::size_t deep = 100'000;
    CHECK(decode_everywhere(std::string(deep, '\x91')) == 0);
    CHECK(decode_everywhere(std::string(deep, '[')) == 0);
    CHECK(decode_everywhere(R"({"type":"departure","incarnation":1,"x":)" +
                            std::string(deep, '[')) == 0);
    CHECK(code_of(decode_agent(departure_with(std::string(deep, '\x91')))) == Errc::too_large);
    std::string maps;
    for (std::size_t i = 0; i < deep; ++i) {
        maps += "\x81\xa1k";
    }
    CHECK(code_of(decode_agent(departure_with(maps))) == Errc::too_large);

    CHECK(decode_agent(departure_with(std::string(limits::nesting - 1, '\x91') + "\x01")));
    CHECK(code_of(decode_agent(departure_with(std::string(limits::nesting, '\x91') + "\x01"))) ==
          Errc::too_large);
    const auto json_deep = [](std::size_t depth) {
        return R"({"type":"departure","incarnation":1,"x":)" + std::string(depth, '[') +
               std::string(depth, ']') + "}";
    };
    CHECK(codec::agent_message_from_json(json_deep(limits::nesting - 1)));
    CHECK_FALSE(codec::agent_message_from_json(json_deep(limits::nesting)));
}

TEST_CASE("an unknown key can hold any value", "[codec][hostile]") {
    for (const auto& value :
         {"\xc0"s, "\xc3"s, "\xcd\x01\x02"s, "\xd3\xff\xff\xff\xff\xff\xff\xff\xff"s, "\xff"s,
          "\xa3xyz"s, "\xd9\x03xyz"s, "\xc4\x03xyz"s, "\x92\x01\x92\x02\x03"s, "\x80"s,
          "\x82\xa1"
          "a\x01\xa1"
          "b\x90"s,
          "\xdc\x00\x02\x01\x02"s, "\xde\x00\x01\x01\x02"s}) {
        CAPTURE(value);
        CHECK(decode_agent(departure_with(value)));
    }
    // No message uses floating point, extensions or the byte that msgpack reserves.
    for (const auto& value : {"\xca"
                              "1234"s,
                              "\xcb"
                              "12345678"s,
                              "\xd4\x01x"s, "\xc7\x01\x01x"s, "\xc1"s}) {
        CAPTURE(value);
        CHECK(code_of(decode_agent(departure_with(value))) == Errc::malformed);
    }
}

TEST_CASE("a duplicate or missing key is named", "[codec][hostile]") {
    const auto twice = decode_agent(
        "\x83\xa4type\xa9"
        "departure\xabincarnation\x01\xabincarnation\x02"s);
    REQUIRE_FALSE(twice);
    CHECK(twice.error().detail.find("incarnation is there twice") != std::string::npos);
    const auto missing = decode_agent(
        "\x81\xa4type\xa9"
        "departure"s);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().detail.find("incarnation is missing") != std::string::npos);
    CHECK_FALSE(codec::agent_message_from_json(R"({"type":"departure"})"));
}

TEST_CASE("bytes after a message and messages for the other side are refused", "[codec][hostile]") {
    std::string frame;
    codec::encode(Poll{}, frame);
    CHECK_FALSE(decode_agent(frame));
    CoordinatorMessage message;
    CHECK(codec::decode(frame, message));
    CHECK_FALSE(codec::decode(frame + '\0', message));
    CHECK_FALSE(codec::decode("", message));
    CHECK_FALSE(codec::decode("\x90", message));
}

// Goal: a number is read the same in each form and position, and an invalid one is reported with
// its position.
// Method: eight more bytes follow it, so that it is read at once, or none.
TEST_CASE("a number is read in each of its forms, and refused with its position",
          "[codec][hostile]") {
    struct Form {
        std::string bytes;
        std::int64_t value;
    };
    const std::vector<Form> forms{{"\x05"s, 5},
                                  {"\xff"s, -1},
                                  {"\xcc\xfe"s, 254},
                                  {"\xcd\xff\xfe"s, 65'534},
                                  {"\xce\xff\xff\xff\xfe"s, 4'294'967'294},
                                  {"\xcf\0\0\0\1\0\0\0\2"s, 4'294'967'298},
                                  {"\xd0\x85"s, -123},
                                  {"\xd1\x01\x02"s, 258},
                                  {"\xd2\xff\xff\xff\xfd"s, -3},
                                  {"\xd3\xff\xff\xff\xff\0\0\0\0"s, -4'294'967'296}};
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const auto& [bytes, value] : forms) {
        for (const std::string& behind : {""s, "\x01\x01\x01\x01\x01\x01\x01\x01"s}) {
            CAPTURE(value, behind.size());
            const std::string frame = bytes + behind;
            codec::Cursor cursor{frame};
            CHECK(cursor.signed_number("n", -most, most) == value);
            CHECK(cursor.left() == behind.size());

            codec::Cursor unsigned_one{frame};
            const auto read = unsigned_one.number("n", most);
            CHECK(unsigned_one.ok() == (value >= 0));
            CHECK(read == static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)));
        }
        for (std::size_t left = 0; left < bytes.size(); ++left) {
            CAPTURE(value, left);
            codec::Cursor cut{std::string_view{bytes}.substr(0, left)};
            CHECK(cut.signed_number("n", -most, most) == 0);
            CHECK_FALSE(cut.ok());
        }
    }
    const auto fault_of = [](const std::string& bytes, bool is_signed) {
        codec::Cursor cursor{bytes};
        is_signed ? static_cast<void>(cursor.signed_number("n", -5, 5))
                  : static_cast<void>(cursor.number("n", 10));
        return cursor.finish("m").error().detail;
    };
    for (const std::string& negative : {"\xff"s, "\xd0\xff"s, "\xd3\xff\xff\xff\xff\0\0\0\0"s}) {
        CHECK(fault_of(negative, false) == "m: n is not a number from 0 on (byte 0)");
    }
    for (const std::string& other :
         {"\x06"s, "\xf0"s, "\xcc\x06"s, "\xd0\x80"s, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"s}) {
        CHECK(fault_of(other, true) == "m: n is not a number in its range (byte 0)");
    }
    codec::Cursor too_low{"\xcc\x05\x01\x01\x01\x01\x01\x01\x01\x01"};
    CHECK(too_low.signed_number("n", 10, 20) == 0);
    CHECK_FALSE(too_low.ok());
    CHECK(fault_of("\xcc\x0b", false) == "m: n is 11; at most 10 is allowed (byte 2)");
    CHECK(fault_of("", false) == "m: n is missing: the message ends too early (byte 0)");
}

// Goal: a person who writes JSON by hand gets the exact error.
// Method: each text breaks another rule.
TEST_CASE("a broken JSON text is refused with its exact error", "[codec][json][hostile]") {
    const auto refused = [](const std::string& text) {
        const auto request = codec::request_from_json(text);
        REQUIRE_FALSE(request);
        CHECK(request.error().code == Errc::malformed);
        return request.error().detail;
    };
    CHECK(refused(R"({"verb":"ping","verb":"ping"})") ==
          "the JSON text has the same key twice in an object");
    CHECK(refused(R"({"verb":"ping","x":[{"a":1,"a":{}}]})") ==
          "the JSON text has the same key twice in an object");
    CHECK(refused(R"({"verb":"ping","x":1e400})") ==
          "the JSON text holds a number that is too large for any field");
    CHECK(refused(R"({"verb":"\ud800"})") ==
          "the text is not JSON from byte 16 on: invalid string: surrogate U+D800..U+DBFF must be "
          "followed by U+DC00..U+DFFF");
    CHECK(refused(R"({"verb")") == "the text is not JSON from byte 8 on: unexpected end of input");
    CHECK(refused("{" + std::string(60'000, 'x')) ==
          "the text is not JSON from byte 2 on: invalid literal");
    CHECK(codec::request_from_json(R"({"verb":"ping","x":{"verb":1},"y":[{"a":1},{"a":1}]})"));
    CHECK(codec::request_from_json(R"({"verb":"ping","x":"a:b\":{","y":[[{":":":"}],[]]})"));
    CHECK(refused("{\"verb\":\"ping\"}\0{}"s) ==
          "the text is not JSON from byte 16 on: a byte of 0");
}

// Goal: no text needs the square of the time. Method: one for which that would be many minutes.
TEST_CASE("a JSON text of many objects is read as fast as one of few", "[codec][json][hostile]") {
    std::string text = R"({"x":[)";
    constexpr int objects = 1'000'000;
    for (int object = 0; object < objects; ++object) {
        text += "{},";
    }
    text += "{}]}";
    const auto tree = codec::parse_json(text, text.size());
    REQUIRE(tree);
    CHECK(tree->at("x").size() == objects + 1);
}

// Goal: a message of a later version is understood. Method: a poll with two more elements.
TEST_CASE("elements that a later version added to an array are skipped", "[codec]") {
    CoordinatorMessage message;
    const auto later =
        codec::decode("\x9b\x03\x01\x02\x03\x04\x05\xc3\x07\xc3\x93\x01\x02\x03\xa1x"s, message);
    REQUIRE(later);
    CHECK(std::get<Poll>(message) == Poll{Epoch{1}, Round{2}, Incarnation{3}, Revision{4},
                                          Sequence{5}, true, BootMs{7}, true});
}

// Goal: a message of an earlier version is understood, without values left in memory.
// Method: reports without their last elements, read over one that had them.
TEST_CASE("elements that an earlier version did not have get their defaults", "[codec]") {
    AgentMessage message;
    REQUIRE(
        codec::decode("\x9b\x01\x02\x01\x02\x03\x04\x05\x06\x93\x07\xc3\xc3"
                      "\x91\x94\xa1w\x01\x01\x02\x91\x92\xa1v\x00"s,
                      message));
    CHECK(std::get<Report>(message).host.spawn_failing);
    REQUIRE(std::get<Report>(message).instances.size() == 1);
    CHECK(std::get<Report>(message).instances[0].exit_code == -1);
    CHECK(std::get<Report>(message).gone.size() == 1);

    REQUIRE(codec::decode("\x99\x01\x02\x01\x02\x03\x04\x05\x06\x91\x07"s, message));
    Report shorter;
    shorter.kind = ReportKind::snapshot;
    shorter.epoch = Epoch{1};
    shorter.round = Round{2};
    shorter.incarnation = Incarnation{3};
    shorter.from = Revision{4};
    shorter.to = Revision{5};
    shorter.obeyed = Sequence{6};
    shorter.host.load_milli = 7;
    CHECK(std::get<Report>(message) == shorter);
}

TEST_CASE("an array without an element that has no default is refused with its name", "[codec]") {
    CoordinatorMessage message;
    const auto result = codec::decode("\x95\x03\x01\x02\x03\x04"s, message);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Errc::malformed);
    CHECK(result.error().detail.find("issued is missing") != std::string::npos);
}

TEST_CASE("an error code of a later version is read as refused", "[codec]") {
    const auto reply = codec::reply_from_json(
        R"({"ok":false,"error":{"code":"moon_phase","message":"not at full moon"}})");
    REQUIRE(reply);
    REQUIRE_FALSE(reply->result);
    CHECK(reply->result.error() == Error{Errc::refused, "not at full moon"});
}
