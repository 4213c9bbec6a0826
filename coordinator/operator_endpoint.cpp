#include "coordinator/operator_endpoint.hpp"

#include <utility>

#include "common/codec.hpp"
#include "common/limits.hpp"

namespace muster {
namespace {

// The largest reply waits whole for who asked; more than that, and he does not read.
constexpr int replies_queued = static_cast<int>(limits::upload_bytes / limits::part_bytes) + 64;

}  // namespace

OperatorEndpoint::OperatorEndpoint(net::Context& context)
    : router_{context,
              {.message_bytes = limits::operator_message_bytes, .send_queue = replies_queued}} {}

Result<std::string> OperatorEndpoint::bind(std::string_view endpoint) {
    return router_.bind(endpoint);
}

net::Receipt OperatorEndpoint::receive(Instant now, Question& into) {
    const auto receipt = router_.receive(asker_.envelope, received_);
    if (receipt == net::Receipt::nothing) {
        return receipt;
    }
    const bool one_frame = receipt == net::Receipt::message && received_.size() == 1;
    asker_.form = one_frame || receipt == net::Receipt::probe ? Form::json : Form::native;
    if (receipt == net::Receipt::probe) {
        // A connection that shows itself asks nothing; an empty request does.
        if (asker_.envelope.delimited) {
            refuse(now, {Errc::malformed, "the request is empty; try help"});
        }
        return receipt;
    }
    if (receipt == net::Receipt::dropped) {
        refuse(now, {Errc::malformed, "a request has one frame, or two: version and message"});
        return receipt;
    }
    auto request = decode(now);
    if (!request) {
        refuse(now, request.error());
        return net::Receipt::dropped;
    }
    if (!*request) {
        return net::Receipt::probe;
    }
    into.asker = asker_;
    into.request = std::move(**request);
    return net::Receipt::message;
}

Result<std::optional<Request>> OperatorEndpoint::decode(Instant now) {
    if (asker_.form == Form::native) {
        return decode_native(now);
    }
    return received_[0].starts_with('{') ? codec::request_from_json(received_[0])
                                         : codec::request_from_text(received_[0]);
}

Result<std::optional<Request>> OperatorEndpoint::decode_native(Instant now) {
    if (const auto spoken = codec::check_version(received_[0]); !spoken) {
        return tl::unexpected{spoken.error()};
    }
    if (received_.size() != 2) {
        return fail(Errc::malformed, "a request is the version frame and one frame more");
    }
    if (!parts::is_part(received_[1])) {
        return codec::decode_request(received_[1]);
    }
    if (asker_.envelope.delimited) {
        return fail(Errc::too_large,
                    "a request in parts needs a DEALER: REQ awaits an answer to "
                    "each message");
    }
    const auto whole = uploads_.add(now, asker_.envelope.route, received_[1]);
    if (!whole) {
        return tl::unexpected{whole.error()};
    }
    if (!*whole) {
        return std::nullopt;
    }
    return codec::decode_request(**whole);
}

void OperatorEndpoint::refuse(Instant now, const Error& error) {
    ++undecodable_;
    log::write(complaints_, now, log::Level::warn, "request refused",
               {{"code", to_string(error.code)}, {"reason", error.detail}});
    answer(asker_, Reply{.id = {}, .result = tl::unexpected{error}});
}

void OperatorEndpoint::answer(const Asker& asker, const Reply& reply) {
    if (asker.form == Form::json) {
        send(asker.envelope, {codec::to_json(reply)});
        return;
    }
    codec::encode(reply, encoded_);
    if (asker.envelope.delimited || encoded_.size() <= limits::part_bytes) {
        send(asker.envelope, {codec::version_frame(), encoded_});
        return;
    }
    const auto parts = parts::split(encoded_, ++replies_in_parts_);
    if (!parts) {
        answer(asker, Reply{.id = reply.id, .result = tl::unexpected{parts.error()}});
        return;
    }
    for (const auto& part : *parts) {
        send(asker.envelope, {codec::version_frame(), part});
    }
}

void OperatorEndpoint::send(const net::Envelope& to,
                            std::initializer_list<std::string_view> frames) {
    if (router_.send(to, frames) != net::SendResult::sent) {
        ++unsent_;
    }
}

}  // namespace muster
