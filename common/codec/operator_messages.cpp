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
template <class Envelope>
void write_both(const Envelope& its, const MsgpackWriter::Fields& body, std::string& into) {
    const MsgpackWriter::Fields envelope{its};
    into.clear();
    MsgpackWriter writer{into};
    writer.map_of(envelope.size() + body.size());
    writer.pairs(envelope);
    writer.pairs(body);
}

template <class Any>
void write_request(const RequestOf<Any>& request, std::string& into) {
    const auto write = [&]<class T>(const T& body) {
        write_both(RequestEnvelope{std::string{tag<T>}, request.id}, MsgpackWriter::Fields{body},
                   into);
    };
    std::visit(write, request.body);
}

template <class T>
Result<void> read_map(std::string_view frame, T& into) {
    Cursor cursor{frame};
    MsgpackReader{cursor}.map("a message", into);
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
        const ErrorBody body{reply.result.error()};
        write_both(ReplyEnvelope{false, "", reply.id, reply.standby}, MsgpackWriter::Fields{body},
                   into);
        return;
    }
    const auto write = [&]<class T>(const T& body) {
        write_both(ReplyEnvelope{true, std::string{tag<T>}, reply.id, reply.standby},
                   MsgpackWriter::Fields{body}, into);
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
    Cursor cursor{frame};
    MsgpackReader reader{cursor, UnknownFields::refused};
    const bool known = Alternatives<RequestBody::Base>::with_tag(
        envelope.verb, [&]<class T>() { reader.map("a message", request.body.emplace<T>()); });
    if (!known) {
        return unknown_verb(envelope.verb);
    }
    result = cursor.finish("message");
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
    Reply reply{envelope.id, ReplyBody{}, std::move(envelope.standby)};
    if (!envelope.ok) {
        ErrorBody body;
        result = read_map(frame, body);
        reply.result = tl::unexpected{body.error};
    } else {
        Cursor cursor{frame};
        MsgpackReader reader{cursor};
        const bool known = Alternatives<ReplyBody::Base>::with_tag(
            envelope.kind, [&]<class T>() { reader.map("a message", reply.result->emplace<T>()); });
        result = known ? cursor.finish("message")
                       : fail(Errc::malformed, "a reply '" + envelope.kind + "' is unknown");
    }
    return result.map([&] { return std::move(reply); });
}

}  // namespace muster::codec
