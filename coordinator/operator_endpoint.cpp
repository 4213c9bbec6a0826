#include "coordinator/operator_endpoint.hpp"

#include <array>
#include <span>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"

namespace muster::coordinator {
namespace {

// The largest reply waits whole for who asked; more than that, and he does not read.
constexpr int replies_queued = static_cast<int>(limits::upload_bytes / limits::part_bytes) + 64;

std::string encoded(OperatorEndpoint::Form form, const Reply& reply) {
    if (form == OperatorEndpoint::Form::json) {
        return codec::to_json(reply);
    }
    std::string body;
    codec::encode(reply, body);
    return body;
}

}  // namespace

OperatorEndpoint::OperatorEndpoint(net::Context& context, net::Meter& unread)
    : router_{context,
              {.message_bytes = limits::operator_message_bytes, .send_queue = replies_queued}},
      unread_{context, unread} {}

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
            ++undecodable_;
            refuse(now, {Errc::malformed, "the request is empty; try help"});
        }
        return receipt;
    }
    if (receipt == net::Receipt::dropped) {
        ++undecodable_;
        refuse(now, {Errc::malformed, "a request has one frame, or two: version and message"});
        return receipt;
    }
    auto request = decode(now);
    if (!request) {
        ++undecodable_;
        refuse(now, request.error());
        return net::Receipt::dropped;
    }
    if (!*request) {
        return net::Receipt::probe;
    }
    if (const auto unread = unread_.of(asker_.envelope.route);
        unread > limits::unread_bytes ||
        (unread > 0 && unread_.of_all() > limits::unread_bytes_of_all)) {
        refuse(now, {Errc::busy, "read what you were answered, then ask again"}, (*request)->id);
        return net::Receipt::dropped;
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

void OperatorEndpoint::refuse(Instant now, const Error& error, RequestId id) {
    log::write(complaints_, now, log::Level::warn, "request refused",
               {{"code", to_string(error.code)}, {"reason", error.detail}});
    answer(asker_, Reply{.id = id, .result = tl::unexpected{error}});
}

void OperatorEndpoint::answer(const Asker& asker, const Reply& reply) {
    std::string body = encoded(asker.form, reply);
    if (const auto why = too_much(asker, body.size())) {
        body = encoded(asker.form, {.id = reply.id, .result = tl::unexpected{*why}});
    }
    send(asker, std::move(body));
}

std::optional<Error> OperatorEndpoint::too_much(const Asker& asker, std::size_t bytes) const {
    if (bytes <= limits::part_bytes) {
        return std::nullopt;
    }
    const std::string answer = "the answer has " + std::to_string(bytes) + " bytes";
    if (bytes > limits::upload_bytes) {
        return Error{Errc::too_large, answer + ", above the limit of " +
                                          std::to_string(limits::upload_bytes) + "; ask for less"};
    }
    if (unread_.of(asker.envelope.route) > limits::unread_bytes ||
        unread_.of_all() + bytes > limits::unread_bytes_of_all) {
        return Error{Errc::busy, answer +
                                     ", and too many that were given before are not read yet; "
                                     "ask again"};
    }
    return std::nullopt;
}

void OperatorEndpoint::send(const Asker& asker, std::string body) {
    if (asker.form == Form::json || asker.envelope.delimited || body.size() <= limits::part_bytes) {
        send_frames(asker, std::move(body));
        return;
    }
    auto parts = parts::split(body, ++replies_in_parts_);
    ensure(parts.has_value(), "what is too large to split was refused");
    for (auto& part : *parts) {
        send_frames(asker, std::move(part));
    }
}

void OperatorEndpoint::send_frames(const Asker& asker, std::string last) {
    const std::array version{codec::version_frame()};
    const std::span first{version.data(), asker.form == Form::json ? 0U : 1U};
    net::Meter& meter = unread_.meter_of(asker.envelope.route);
    // Who went away or does not read does not get it.
    static_cast<void>(router_.send(asker.envelope, first, std::move(last), meter));
}

}  // namespace muster::coordinator
