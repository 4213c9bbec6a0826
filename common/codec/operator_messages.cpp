#include <string>
#include <utility>
#include <variant>

#include "common/codec/codec.hpp"
#include "common/codec/fields/operator.hpp"
#include "common/codec/msgpack/reader.hpp"
#include "common/codec/msgpack/writer.hpp"
#include "common/codec/verb_table.hpp"

namespace muster::codec {

namespace {

/// Writes one map with the fields of the envelope and of the body.
template <class Envelope, class Body>
void write_both(const Envelope& envelope, const Body& body, std::string& into) {
    into.clear();
    MsgpackWriter writer{into};
    writer.map_of(count_fields(envelope) + count_fields(body));
    writer.pairs(envelope);
    writer.pairs(body);
}

template <class Any>
void write_request(const RequestOf<Any>& request, std::string& into) {
    const auto write = [&]<class T>(const T& body) {
        write_both(RequestEnvelope{std::string{tag<T>}, request.id}, body, into);
    };
    std::visit(write, request.body);
}

template <class T>
Result<void> read_map(std::string_view frame, T& into,
                      UnknownFields unknown = UnknownFields::ignored) {
    Cursor cursor{frame};
    MsgpackReader{cursor, unknown}.map("a message", into);
    return cursor.finish("message");
}

template <class Envelope>
Result<void> read_envelope(std::string_view frame, Envelope& into) {
    if (frame.size() > limits::upload_bytes) {
        return fail(Errc::too_large,
                    "the message has " + too_many(frame.size(), "bytes", limits::upload_bytes));
    }
    return read_map(frame, into);
}

}  // namespace

void encode(const Request& request, std::string& into) { write_request(request, into); }
void encode(const CoreRequest& request, std::string& into) { write_request(request, into); }

void encode(const Reply& reply, std::string& into) {
    if (!reply.result) {
        write_both(ReplyEnvelope{false, "", reply.id}, ErrorBody{reply.result.error()}, into);
        return;
    }
    const auto write = [&]<class T>(const T& body) {
        write_both(ReplyEnvelope{true, std::string{tag<T>}, reply.id}, body, into);
    };
    std::visit(write, *reply.result);
}

Result<Request> decode_request(std::string_view frame) {
    RequestEnvelope envelope;
    auto result = read_envelope(frame, envelope);
    if (!result) {
        return tl::unexpected{result.error()};
    }
    Request request{envelope.id, {}};
    const bool known = Alternatives<RequestBody::Base>::with_tag(envelope.verb, [&]<class T>() {
        result = read_map(frame, request.body.emplace<T>(), UnknownFields::refused);
    });
    if (!known) {
        return unknown_verb(envelope.verb);
    }
    if (!result) {
        return fail(result.error().code, envelope.verb + ": " + result.error().detail);
    }
    return request;
}

Result<Reply> decode_reply(std::string_view frame) {
    ReplyEnvelope envelope;
    auto result = read_envelope(frame, envelope);
    if (!result) {
        return tl::unexpected{result.error()};
    }
    Reply reply{envelope.id, ReplyBody{}};
    if (!envelope.ok) {
        ErrorBody body;
        result = read_map(frame, body);
        reply.result = tl::unexpected{body.error};
    } else {
        const bool known = Alternatives<ReplyBody::Base>::with_tag(envelope.kind, [&]<class T>() {
            result = read_map(frame, reply.result->emplace<T>());
        });
        result =
            known ? result : fail(Errc::malformed, "a reply '" + envelope.kind + "' is unknown");
    }
    return result.map([&] { return std::move(reply); });
}

}  // namespace muster::codec
