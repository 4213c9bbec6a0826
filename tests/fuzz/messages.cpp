#include <string>
#include <string_view>

#include "common/base/ensure.hpp"
#include "common/codec/chunking.hpp"
#include "common/codec/codec.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/unit/common/codec/json_answers.hpp"

// Messages of every endpoint. An accepted message must be the same after encoding and decoding, in
// msgpack and in JSON; but JSON has only UTF-8, with U+FFFD for invalid bytes.
namespace muster::fuzz {
namespace {

void ensure_survives_json(const auto& message, auto from_json) {
    const std::string text = codec::to_json(message);
    const auto read = from_json(text);
    const bool is_exact = text.find("\xef\xbf\xbd") == std::string::npos;
    ensure(!is_exact || (read && *read == message), "what is said survives JSON");
}

// Daemons decode into the previous message and reuse its memory.
template <class Message>
void try_frame(std::string_view bytes, auto from_json) {
    static Message used;
    Message fresh;
    const bool is_sound = codec::decode(bytes, fresh).has_value();
    ensure(codec::decode(bytes, used).has_value() == is_sound,
           "whether a message is sound does not depend on the one before");
    if (!is_sound) {
        return;
    }
    ensure(used == fresh, "of the message before nothing is left");
    std::string encoded;
    codec::encode(fresh, encoded);
    Message again;
    ensure(codec::decode(encoded, again).has_value() && again == fresh,
           "what is decoded survives msgpack");
    ensure_survives_json(fresh, from_json);
}

void try_operators_frame(const auto& message, auto decode, auto from_json) {
    if (!message) {
        return;
    }
    std::string encoded;
    codec::encode(*message, encoded);
    const auto again = decode(encoded);
    ensure(again && *again == *message, "what is read survives msgpack");
    ensure_survives_json(*message, from_json);
}

template <class Message>
void try_text(const auto& message, auto from_json) {
    if (!message) {
        return;
    }
    std::string encoded;
    codec::encode(*message, encoded);
    Message again;
    ensure(codec::decode(encoded, again).has_value() && again == *message,
           "what is read survives msgpack");
    ensure_survives_json(*message, from_json);
}

}  // namespace

void fuzz_agent_message(std::string_view input) {
    try_frame<AgentMessage>(input, codec::agent_message_from_json);
}

void fuzz_coordinator_message(std::string_view input) {
    try_frame<CoordinatorMessage>(input, codec::coordinator_message_from_json);
}

void fuzz_request(std::string_view input) {
    try_operators_frame(codec::decode_request(input), codec::decode_request,
                        codec::request_from_json);
}

void fuzz_reply(std::string_view input) {
    try_operators_frame(codec::decode_reply(input), codec::decode_reply, codec::reply_from_json);
}

void fuzz_agent_json(std::string_view input) {
    try_text<AgentMessage>(codec::agent_message_from_json(input), codec::agent_message_from_json);
}

void fuzz_coordinator_json(std::string_view input) {
    try_text<CoordinatorMessage>(codec::coordinator_message_from_json(input),
                                 codec::coordinator_message_from_json);
}

void fuzz_request_json(std::string_view input) {
    try_operators_frame(codec::request_from_json(input), codec::decode_request,
                        codec::request_from_json);
}

void fuzz_reply_json(std::string_view input) {
    try_operators_frame(codec::reply_from_json(input), codec::decode_reply, codec::reply_from_json);
    if (const auto event = codec::event_from_json(input)) {
        const auto again = codec::event_from_json(codec::to_json(*event));
        ensure(again && *again == *event, "an event survives JSON");
    }
}

void fuzz_request_text(std::string_view input) {
    const auto request = codec::request_from_text(input);
    try_operators_frame(request, codec::decode_request, codec::request_from_json);
    ensure(request || !request.error().detail.empty(), "a refusal has a reason");
}

// Frames of one peer, one after the other.
void fuzz_parts(std::string_view input) {
    Bytes frames{input};
    parts::Assembly assembly;
    while (!frames.is_empty()) {
        const auto frame = frames.chunk();
        static_cast<void>(codec::check_version(frame));
        ensure(!parts::is_first(frame) || parts::is_part(frame), "a part 0 is a part");
        const auto progress = assembly.add(frame);
        if (progress && *progress == parts::Assembly::Progress::complete) {
            const std::string whole = assembly.take();
            ensure(!assembly.is_open(), "what was taken is over");
            static_cast<void>(codec::decode_request(whole));
        } else if (!progress) {
            ensure(!assembly.is_open(), "an upload ends with its fault");
        }
    }
}

}  // namespace muster::fuzz
