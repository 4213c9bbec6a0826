#include <string>
#include <utility>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/codec/fields/agent.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/codec/json/reader.hpp"
#include "common/codec/json/writer.hpp"
#include "common/codec/verb_table.hpp"

namespace muster::codec {

namespace {

/// One object of the fields of all parts.
template <class... Parts>
std::string object_of(const Parts&... parts) {
    std::string text;
    JsonWriter object{text};
    (object.pairs(parts), ...);
    object.end();
    return text;
}

template <class Variant>
std::string typed_json(const Variant& message) {
    std::string text;
    JsonWriter object{text};
    const auto write = [&]<class T>(const T& one) {
        object.pair("type", tag<T>);
        object.pairs(one);
    };
    std::visit(write, message);
    object.end();
    return text;
}

template <class Any>
std::string request_json(const RequestOf<Any>& request) {
    const auto write = [&]<class T>(const T& body) {
        return object_of(RequestEnvelope{std::string{tag<T>}, request.id}, body);
    };
    return std::visit(write, request.body);
}

template <class T>
Result<void> read_object(const ParsedJson& tree, T& into, std::string_view message) {
    JsonReader reader;
    reader.pairs(tree, into);
    return reader.finish(message);
}

/// The tree of a text, of which the envelope is read.
template <class Envelope>
Result<ParsedJson> opened(std::string_view text, std::size_t max_bytes, Envelope& envelope,
                          std::string_view message) {
    return parse_json(text, max_bytes).and_then([&](ParsedJson tree) {
        return read_object(tree, envelope, message).map([&] { return std::move(tree); });
    });
}

template <class Variant>
Result<Variant> typed_from_json(std::string_view text) {
    const auto tree = parse_json(text, limits::agent_message_bytes);
    if (!tree) {
        return tl::unexpected{tree.error()};
    }
    const auto type = tree->find("type");
    if (type == tree->end() || !type->is_string()) {
        return fail(Errc::malformed, "message: type is missing");
    }
    const auto& name = type->template get_ref<const std::string&>();
    Variant message;
    Result<void> result;
    const bool known = Alternatives<Variant>::with_tag(name, [&]<class T>() {
        result = read_object(*tree, message.template emplace<T>(), tag<T>);
    });
    if (!known) {
        return fail(Errc::malformed, "message: its type is unknown here");
    }
    return result.map([&] { return std::move(message); });
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
        object.pairs(ErrorBody{reply.result.error()});
        object.end();
        return text;
    }
    const auto write = [&]<class T>(const T& body) {
        return object_of(ReplyEnvelope{true, std::string{tag<T>}, reply.id}, body);
    };
    return std::visit(write, *reply.result);
}

std::string to_json(const Event& event) { return object_of(event); }

std::string to_json(const ReplyBody& body) {
    return std::visit([](const auto& one) { return object_of(one); }, body);
}

Result<AgentMessage> agent_message_from_json(std::string_view text) {
    return typed_from_json<AgentMessage>(text);
}

Result<CoordinatorMessage> coordinator_message_from_json(std::string_view text) {
    return typed_from_json<CoordinatorMessage>(text);
}

Result<Request> request_from_json(std::string_view text) {
    RequestEnvelope envelope;
    const auto tree = opened(text, limits::operator_message_bytes, envelope, "request");
    if (!tree) {
        return tl::unexpected{tree.error()};
    }
    Result<void> result;
    Request request{envelope.id, {}};
    const bool known = Alternatives<RequestBody::Base>::with_tag(envelope.verb, [&]<class T>() {
        result = read_object(*tree, request.body.emplace<T>(), tag<T>);
    });
    if (!known) {
        return unknown_verb(envelope.verb);
    }
    return result.map([&] { return std::move(request); });
}

Result<Reply> reply_from_json(std::string_view text) {
    ReplyEnvelope envelope;
    const auto tree = opened(text, limits::upload_bytes, envelope, "reply");
    if (!tree) {
        return tl::unexpected{tree.error()};
    }
    Result<void> result;
    Reply reply{envelope.id, ReplyBody{}};
    if (!envelope.ok) {
        ErrorBody body;
        result = read_object(*tree, body, "reply");
        reply.result = tl::unexpected{body.error};
    } else {
        const bool known = Alternatives<ReplyBody::Base>::with_tag(envelope.kind, [&]<class T>() {
            result = read_object(*tree, reply.result->emplace<T>(), tag<T>);
        });
        result = known ? result : fail(Errc::malformed, "reply: its kind is unknown here");
    }
    return result.map([&] { return std::move(reply); });
}

Result<Event> event_from_json(std::string_view text) {
    const auto read = [](const ParsedJson& tree) {
        Event event;
        return read_object(tree, event, "event").map([&] { return std::move(event); });
    };
    return parse_json(text, limits::operator_message_bytes).and_then(read);
}

}  // namespace muster::codec
