#include "coordinator/requests/operator_endpoint.hpp"

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <utility>

#include "common/base/ensure.hpp"
#include "common/base/limits.hpp"
#include "common/codec/codec.hpp"

namespace muster::coordinator {
namespace {

// The largest reply waits whole for its reader; beyond that the peer does not read.
constexpr int replies_queued = static_cast<int>(limits::upload_bytes / limits::part_bytes) + 64;

// A peer may assemble two answers at once, so their numbers differ.
std::atomic<std::uint64_t> replies_in_parts = 0;

std::string encoded(const OperatorEndpoint::Asker& asker, const Reply& reply) {
    if (asker.standby && !reply.standby) {
        Reply marked{reply};
        marked.standby = *asker.standby;
        return encoded(asker, marked);
    }
    if (asker.form == OperatorEndpoint::Form::json) {
        return codec::to_json(reply);
    }
    std::string body;
    codec::encode(reply, body);
    return body;
}

}  // namespace

OperatorEndpoint::OperatorEndpoint(net::Context& context, net::Meter& unread,
                                   std::size_t message_bytes)
    : router_{context, {.message_bytes = message_bytes, .send_queue = replies_queued}},
      unread_{context, unread} {}

Result<std::string> OperatorEndpoint::bind(std::string_view endpoint) {
    return router_.bind(endpoint);
}

net::Receipt OperatorEndpoint::receive(Instant now, Question& into) {
    const auto receipt = router_.receive(asker_.envelope, received_);
    if (receipt == net::Receipt::nothing) {
        return receipt;
    }
    asker_.by = {.is_local = door_ == Door::local,
                 .is_enrolling = door_ == Door::enrolment,
                 .key = asker_.envelope.peer};
    const bool one_frame = receipt == net::Receipt::message && received_.size() == 1;
    asker_.standby = standby_;
    asker_.form = one_frame || receipt == net::Receipt::probe ? Form::json : Form::native;
    if (!is_of_use() || !is_in_time(now)) {
        return net::Receipt::dropped;
    }
    if (receipt == net::Receipt::probe) {
        // A probe of a connection is not a request; an empty request is.
        if (asker_.envelope.delimited) {
            ++undecodable_;
            refuse(now, asker_, {Errc::malformed, "the request is empty; try help"});
        }
        return receipt;
    }
    if (receipt == net::Receipt::dropped) {
        ++undecodable_;
        refuse(now, asker_,
               {Errc::malformed, "a request has one frame, or two: version and message"});
        return receipt;
    }
    std::string upload;
    auto request = decode(now, upload);
    if (request && !*request) {
        into = {.asker = asker_, .request = {}, .upload = std::move(upload)};
        return into.upload.empty() ? net::Receipt::probe : net::Receipt::message;
    }
    auto whole = request ? Result<Request>{std::move(**request)}
                         : Result<Request>{tl::unexpected{std::move(request.error())}};
    if (!admit(now, asker_, whole)) {
        return net::Receipt::dropped;
    }
    into = {.asker = asker_, .request = *std::move(whole)};
    return net::Receipt::message;
}

// Whoever chose its own routing id cannot be told from its earlier connections, so all count.
bool OperatorEndpoint::is_of_use() {
    const PublicKey& peer = asker_.envelope.peer;
    if (peer.is_none() || door_ != Door::network) {
        return true;
    }
    const auto route = asker_.envelope.route.generated();
    return route ? connections_.admit(peer, *route, router_.connection())
                 : connections_.is_admitted(peer);
}

// Before the message is decoded. Every request gets an answer, so this one does, too.
bool OperatorEndpoint::is_in_time(Instant now) {
    const PublicKey& peer = asker_.envelope.peer;
    if (peer.is_none() || rate_.admit(now, peer)) {
        return true;
    }
    log::write(rate_complaints_, now, log::Level::warn,
               "a client sends too many requests: those above its rate get the error busy; "
               "'muster key list' shows whose key it is, and 'muster key revoke' cuts it off",
               {{"fingerprint", fingerprint(peer)}, {"per_second", messages_per_second}});
    answer(asker_, Reply{.id = {},
                         .result = fail(Errc::busy, "this key sends more than " +
                                                        std::to_string(messages_per_second) +
                                                        " messages a second; ask more slowly")});
    return false;
}

bool OperatorEndpoint::admit(Instant now, const Asker& asker, const Result<Request>& request) {
    if (!request) {
        ++undecodable_;
        refuse(now, asker, request.error());
        return false;
    }
    if (const auto unread = unread_.of(asker.envelope.route);
        unread > limits::unread_bytes ||
        (unread > 0 && unread_.of_all() > limits::unread_bytes_of_all)) {
        refuse(now, asker,
               {Errc::busy, "read the answers to your earlier requests, then ask again"},
               request->id);
        return false;
    }
    return true;
}

Result<std::optional<Request>> OperatorEndpoint::decode(Instant now, std::string& upload) {
    if (asker_.form == Form::native) {
        return decode_native(now, upload);
    }
    return received_[0].starts_with('{') ? codec::request_from_json(received_[0])
                                         : codec::request_from_text(received_[0]);
}

Result<std::optional<Request>> OperatorEndpoint::decode_native(Instant now, std::string& upload) {
    if (const auto spoken = codec::check_version(received_[0]); !spoken) {
        return tl::unexpected{spoken.error()};
    }
    if (received_.size() != 2) {
        return fail(Errc::malformed, "a request is the version frame and one frame more");
    }
    if (!parts::is_part(received_[1])) {
        return codec::decode_request(received_[1]);
    }
    if (door_ == Door::enrolment) {
        return fail(Errc::too_large, "a request to be admitted has one frame");
    }
    if (asker_.envelope.delimited) {
        return fail(Errc::too_large,
                    "a request in parts needs a DEALER: REQ awaits an answer to "
                    "each message");
    }
    auto whole = uploads_.add(now, asker_.envelope, received_[1]);
    if (!whole) {
        return tl::unexpected{whole.error()};
    }
    upload = std::move(*whole).value_or(std::string{});
    return std::nullopt;
}

void OperatorEndpoint::refuse(Instant now, const Asker& asker, const Error& error, RequestId id) {
    log::write(complaints_, now, log::Level::warn, "request refused",
               {{"code", to_string(error.code)}, {"reason", error.detail}});
    answer(asker, Reply{.id = id, .result = tl::unexpected{error}});
}

OperatorEndpoint::Written OperatorEndpoint::written(const Asker& asker, const Reply& reply) {
    std::string body = encoded(asker, reply);
    if (body.size() > limits::upload_bytes) {
        const Error error{Errc::too_large, "the answer has " + std::to_string(body.size()) +
                                               " bytes, above the limit of " +
                                               std::to_string(limits::upload_bytes) +
                                               "; ask for less"};
        body = encoded(asker, {.id = reply.id, .result = tl::unexpected{error}});
    }
    Written written{.frames = {}, .bytes = body.size()};
    if (asker.form == Form::json || asker.envelope.delimited || body.size() <= limits::part_bytes) {
        written.frames.emplace_back(std::move(body));
        return written;
    }
    auto parts = parts::split(body, ++replies_in_parts);
    ensure(parts.has_value(), "a reply too large to split was refused");
    written.frames.reserve(parts->size());
    for (std::string& part : *parts) {
        written.frames.emplace_back(std::move(part));
    }
    return written;
}

void OperatorEndpoint::answer(const Asker& asker, const Reply& reply) {
    const Written whole = written(asker, reply);
    if (auto why = obstacle(asker, whole.bytes)) {
        send(asker, written(asker, {.id = reply.id, .result = tl::unexpected{*std::move(why)}}));
        return;
    }
    send(asker, whole);
}

void OperatorEndpoint::answer(Instant now, const Asker& asker, RequestId id,
                              const Written& written) {
    if (const auto why = obstacle(asker, written.bytes)) {
        refuse(now, asker, *why, id);
        return;
    }
    send(asker, written);
}

std::optional<Error> OperatorEndpoint::obstacle(const Asker& asker, std::size_t bytes) const {
    if (!leads_()) {
        return Error{Errc::not_leader,
                     "this coordinator does not lead any more; ask again: the same request id "
                     "takes effect once"};
    }
    if (bytes > limits::part_bytes && (unread_.of(asker.envelope.route) > limits::unread_bytes ||
                                       unread_.of_all() + bytes > limits::unread_bytes_of_all)) {
        return Error{Errc::busy, "the answer has " + std::to_string(bytes) +
                                     " bytes, and too many bytes of earlier answers are "
                                     "not read yet; ask again"};
    }
    return std::nullopt;
}

void OperatorEndpoint::send(const Asker& asker, const Written& written) {
    const std::array version{codec::version_frame()};
    const std::span first{version.data(), asker.form == Form::json ? 0U : 1U};
    net::Meter& meter = unread_.meter_of(asker.envelope.route);
    for (const auto& frame : written.frames) {
        // A peer that left or does not read does not get it.
        static_cast<void>(router_.send(asker.envelope, first, frame, meter));
    }
}

}  // namespace muster::coordinator
