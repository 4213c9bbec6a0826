#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/codec.hpp"
#include "common/ensure.hpp"
#include "common/spec_toml.hpp"

/// Bytes of others through every decoder. The first byte chooses it. What is accepted must come out
/// the same after it was written and read once more, in msgpack and in JSON.
namespace muster {
namespace {

template <class Message>
void try_agents_message(std::string_view bytes) {
    Message message;
    if (!codec::decode(bytes, message)) {
        return;
    }
    std::string encoded;
    codec::encode(message, encoded);
    Message again;
    ensure(codec::decode(encoded, again).has_value() && again == message,
           "what is decoded survives msgpack");
}

template <class Read>
void try_json(std::string_view bytes, Read read) {
    if (const auto message = read(bytes)) {
        const auto again = read(codec::to_json(*message));
        ensure(again && *again == *message, "what is read survives JSON");
    }
}

void try_operators_message(const auto& message, auto read) {
    if (message) {
        std::string encoded;
        codec::encode(*message, encoded);
        const auto again = read(encoded);
        ensure(again && *again == *message, "what is decoded survives msgpack");
    }
}

void try_one(std::uint8_t choice, std::string_view bytes) {
    switch (choice % 10) {
        case 0: return try_agents_message<AgentMessage>(bytes);
        case 1: return try_agents_message<CoordinatorMessage>(bytes);
        case 2: return try_operators_message(codec::decode_request(bytes), codec::decode_request);
        case 3: return try_operators_message(codec::decode_reply(bytes), codec::decode_reply);
        case 4: return try_json(bytes, codec::agent_message_from_json);
        case 5: return try_json(bytes, codec::coordinator_message_from_json);
        case 6: return try_json(bytes, codec::request_from_json);
        case 7: return try_json(bytes, codec::reply_from_json);
        case 8:
            return try_operators_message(codec::request_from_text(bytes), codec::decode_request);
        case 9: static_cast<void>(tasks_from_toml(bytes, "tasks.toml")); return;
        default: return;
    }
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 0) {
        muster::try_one(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
    }
    return 0;
}
