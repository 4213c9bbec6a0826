#include <string>
#include <utility>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/codec/json/typed.hpp"
#include "common/codec/json/writer.hpp"
#include "common/codec/verb_table.hpp"

namespace muster::codec {

namespace {

std::string object_of(const JsonWriter::Fields& fields) {
    std::string text;
    JsonWriter object{text};
    object.pairs(fields);
    object.end();
    return text;
}

template <class Envelope>
std::string object_of_both(const Envelope& envelope, const JsonWriter::Fields& body) {
    std::string text;
    JsonWriter object{text};
    object.pairs(JsonWriter::Fields{envelope});
    object.pairs(body);
    object.end();
    return text;
}

template <class Variant>
std::string typed_json(const Variant& message) {
    std::string text;
    JsonWriter object{text};
    const auto write = [&]<class T>(const T& one) {
        object.pair("type", tag<T>);
        object.pairs(JsonWriter::Fields{one});
    };
    std::visit(write, message);
    object.end();
    return text;
}

template <class Any>
std::string request_json(const RequestOf<Any>& request) {
    const auto write = [&]<class T>(const T& body) {
        return object_of_both(RequestEnvelope{std::string{tag<T>}, request.id},
                              JsonWriter::Fields{body});
    };
    return std::visit(write, request.body);
}

}  // namespace

std::string to_json(const AgentMessage& message) { return typed_json(message); }
std::string to_json(const CoordinatorMessage& message) { return typed_json(message); }

std::string to_json(const Request& request) { return request_json(request); }
std::string to_json(const CoreRequest& request) { return request_json(request); }

std::string to_json(const Reply& reply) {
    if (!reply.result) {
        std::string text;
        JsonWriter object{text};
        object.pair("ok", false);
        object.pair("request_id", to_string(reply.id));
        const StandbyBody mark{reply.standby};
        object.pairs(JsonWriter::Fields{mark});
        const ErrorBody body{reply.result.error()};
        object.pairs(JsonWriter::Fields{body});
        object.end();
        return text;
    }
    const auto write = [&]<class T>(const T& body) {
        return object_of_both(ReplyEnvelope{true, std::string{tag<T>}, reply.id, reply.standby},
                              JsonWriter::Fields{body});
    };
    return std::visit(write, *reply.result);
}

std::string to_json(const AuditView& row) { return object_of(JsonWriter::Fields{row}); }

std::string to_json(const Event& event) { return object_of(JsonWriter::Fields{event}); }

std::string to_json(const ReplyBody& body) {
    return std::visit([](const auto& one) { return object_of(JsonWriter::Fields{one}); }, body);
}

Result<AgentMessage> agent_message_from_json(std::string_view text) {
    return typed_from_json<AgentMessage>(text);
}

Result<Request> request_from_json(std::string_view text) {
    const auto read = [](const ParsedJson& tree) -> Result<Request> {
        RequestEnvelope envelope;
        Result<void> result = read_object(tree, envelope, "request");
        Request request{envelope.id, {}};
        const auto read_body = [&]<class T>() {
            result = read_object(tree, request.body.emplace<T>(), tag<T>, UnknownFields::refused);
        };
        if (result && !Alternatives<RequestBody::Base>::with_tag(envelope.verb, read_body)) {
            return unknown_verb(envelope.verb);
        }
        return result.map([&] { return std::move(request); });
    };
    return parse_json(text, limits::operator_message_bytes).and_then(read);
}

Result<Event> event_from_json(std::string_view text) {
    const auto read = [](const ParsedJson& tree) {
        Event event;
        return read_object(tree, event, "event").map([&] { return std::move(event); });
    };
    return parse_json(text, limits::operator_message_bytes).and_then(read);
}

}  // namespace muster::codec
