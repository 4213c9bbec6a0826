#include <string>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/agent_calls.hpp"
#include "common/codec/msgpack/reader.hpp"
#include "common/codec/msgpack/writer.hpp"

namespace muster::codec {

namespace {

/// The key of a control message that has its type.
struct TypeEnvelope {
    std::string type;
};

void fields(auto& visit, Like<TypeEnvelope> auto& envelope) {
    visit("type", envelope.type, text(limits::name_bytes));
}

template <class T>
void encode_one(const T& message, std::string& into) {
    into.clear();
    MsgpackWriter writer{into};
    if constexpr (positional<T>) {
        writer.numbered(message);
    } else {
        const MsgpackWriter::Fields its{message};
        writer.map_of(its.size() + 1);
        writer.pair("type", tag<T>);
        writer.pairs(its);
    }
}

/// The alternative `T` of the variant. If the variant holds it already, its memory is used again.
template <class T, class Variant>
T& alternative(Variant& into) {
    auto* const held = std::get_if<T>(&into);
    return held != nullptr ? *held : into.template emplace<T>();
}

template <class T, class Variant>
bool read_numbered(Cursor& cursor, std::uint64_t number, std::size_t fields_left, Variant& into) {
    if constexpr (positional<T>) {
        if (message_number<T> == number) {
            MsgpackReader{cursor}.values(alternative<T>(into), fields_left);
            return true;
        }
    }
    return false;
}

template <class... T>
Result<void> decode_array(Cursor& cursor, std::variant<T...>& into) {
    const std::size_t count = cursor.array("a message", limits::map_fields);
    if (count == 0) {
        cursor.fail(Errc::malformed, "a message", "is an empty array");
        return cursor.finish("message");
    }
    const auto number = cursor.number("the message number", 255);
    if (cursor.ok() && !(read_numbered<T>(cursor, number, count - 1, into) || ...)) {
        cursor.fail(Errc::malformed, "message number " + std::to_string(number), "is unknown here");
    }
    return cursor.finish("message " + std::to_string(number));
}

template <class... T>
Result<void> decode_map(std::string_view frame, std::variant<T...>& into) {
    Cursor first{frame};
    TypeEnvelope envelope;
    MsgpackReader{first}.map("a message", envelope);
    if (auto result = first.finish("message"); !result) {
        return result;
    }
    Cursor cursor{frame};
    const bool known = Alternatives<std::variant<T...>>::with_tag(envelope.type, [&]<class M>() {
        M message;  // A missing field has its default, not the last message's value.
        MsgpackReader{cursor}.map("a message", message);
        into = std::move(message);
    });
    if (!known) {
        cursor.fail(Errc::malformed, "type '" + envelope.type + "'", "is unknown here");
    }
    return cursor.finish(envelope.type);
}

template <class Variant>
Result<void> decode_message(std::string_view frame, Variant& into) {
    if (frame.size() > limits::agent_message_bytes) {
        return fail(Errc::too_large, "the message has " + too_many(frame.size(), "bytes",
                                                                   limits::agent_message_bytes));
    }
    Cursor cursor{frame};
    return cursor.at_map() ? decode_map(frame, into) : decode_array(cursor, into);
}

}  // namespace

void encode(const AgentMessage& message, std::string& into) {
    std::visit([&](const auto& one) { encode_one(one, into); }, message);
}

void encode(const CoordinatorMessage& message, std::string& into) {
    std::visit([&](const auto& one) { encode_one(one, into); }, message);
}

void encode(const Poll& poll, std::string& into) { encode_one(poll, into); }

Result<void> decode(std::string_view frame, AgentMessage& into) {
    return decode_message(frame, into);
}

Result<void> decode(std::string_view frame, CoordinatorMessage& into) {
    return decode_message(frame, into);
}

}  // namespace muster::codec
