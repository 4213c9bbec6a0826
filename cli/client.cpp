#include "cli/client.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "common/codec/codec.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/loop.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

constexpr Duration progress_interval = 100ms;
constexpr std::string_view operators_hint =
    "by default a coordinator listens to operators at tcp://127.0.0.1:7701";
constexpr RequestId ping_id{.high = 0, .low = 1};  // No operator's request has this id.

}  // namespace

Client::Client(net::Context& context, std::string endpoint, std::optional<net::ClientKeys> keys)
    : context_{context}, endpoint_{std::move(endpoint)}, keys_{std::move(keys)} {}

Result<void> Client::send(const Request& request) {
    if (!dealer_) {
        auto options = net::tool_dealer();
        options.keys = keys_;
        dealer_ = std::make_unique<net::Dealer>(context_, options);
        assembly_.reset();
        if (auto connected = dealer_->connect(endpoint_); !connected) {
            return connected;
        }
    }
    std::string bytes;
    codec::encode(request, bytes);
    const auto frames = parts::split(bytes, ++uploads_);
    if (!frames) {
        return tl::unexpected(frames.error());
    }
    for (const std::string& frame : *frames) {
        if (dealer_->send({codec::version_frame(), frame}) != net::SendResult::sent) {
            return fail(Errc::unreachable,
                        "the connection to " + endpoint_ + " accepts no message");
        }
    }
    return {};
}

Result<void> Client::ping() { return send({.id = ping_id, .body = PingRequest{}}); }

Result<void> Client::send_again(const Request& request) {
    dealer_.reset();
    return ping().and_then([&] { return send(request); });
}

Client::Answer Client::answer_in(const Request& request, const net::Message& message) {
    if (message.size() != 2) {
        return not_a_coordinator("", "it sends other messages");
    }
    if (auto spoken = codec::check_version(message[0]); !spoken) {
        return tl::unexpected(spoken.error());
    }
    if (!parts::is_part(message[1])) {
        return answer_of(request, message[1]);
    }
    const auto progress = assembly_.add(message[1]);
    if (!progress) {
        return tl::unexpected(progress.error());
    }
    return *progress == parts::Assembly::Progress::complete ? answer_of(request, assembly_.take())
                                                            : std::nullopt;
}

Client::Answer Client::answer_of(const Request& request, std::string_view bytes) {
    auto reply = codec::decode_reply(bytes);
    if (!reply) {
        return not_a_coordinator(bytes, reply.error().detail);
    }
    has_answer_ = true;
    // An unreadable request has no id, and neither has the error that answers it.
    const bool ours = reply->id == request.id || (reply->id.is_none() && !reply->result);
    return ours ? Answer{std::move(reply->result)} : std::nullopt;
}

tl::unexpected<Error> Client::not_a_coordinator(std::string_view bytes,
                                                const std::string& fault) const {
    CoordinatorMessage to_agents;
    if (codec::decode(bytes, to_agents)) {
        return fail(Errc::unreachable,
                    fmt::format("{} is the coordinator's endpoint for agents, not for "
                                "operators; {}",
                                endpoint_, operators_hint));
    }
    return fail(Errc::unreachable, fmt::format("the peer at {} is not a coordinator ({}); {}",
                                               endpoint_, fault, operators_hint));
}

bool Client::on_readable(const Request& request, Answer& answer) {
    net::Message message;
    switch (dealer_->receive(message)) {
        case net::Receipt::nothing: return false;
        case net::Receipt::probe:
        case net::Receipt::dropped: return true;
        case net::Receipt::message: break;
    }
    if (!answer) {
        answer = answer_in(request, message);
    }
    return true;
}

Client::Answer Client::handshake_error() {
    const auto failure = dealer_->take_handshake_failure();
    if (!failure) {
        return std::nullopt;
    }
    switch (*failure) {
        case net::HandshakeFailure::refused:
            return fail(
                Errc::denied,
                fmt::format("the coordinator at {} does not admit the key {} of this "
                            "context; an admin admits it with 'muster key add NAME ROLE "
                            "{}'",
                            endpoint_, fingerprint(keys_->own.open), to_string(keys_->own.open)));
        case net::HandshakeFailure::no_answer:
            return fail(
                Errc::unreachable,
                fmt::format("the peer at {} does not prove the key {} that this context "
                            "knows: it is another cluster, its coordinator has new keys, or "
                            "it listens without keys",
                            endpoint_, fingerprint(keys_->server)));
        case net::HandshakeFailure::temporary: break;
    }
    return std::nullopt;
}

tl::unexpected<Error> Client::no_answer(const Request& request, Duration waited) const {
    if (has_answer_) {
        const std::string_view later =
            std::holds_alternative<TaskSignalRequest>(request.body)
                ? "the signal may still be delivered; give a longer --timeout"
                : "it may still do so: ask again, or give a longer --timeout";
        return fail(Errc::timeout,
                    fmt::format("the coordinator at {} answers, but it did not "
                                "answer '{}' within {}; {}",
                                endpoint_, codec::verb_of(request.body), to_string(waited), later));
    }
    return fail(Errc::unreachable,
                fmt::format("cannot reach a coordinator at {} within {}; is muster-coordinator "
                            "running, and is that its endpoint for operators? --coordinator or "
                            "MUSTER_COORDINATOR says where it is",
                            endpoint_, to_string(waited)));
}

Result<ReplyBody> Client::ask(const Request& request, const Patience& patience,
                              Progress& progress) {
    const Instant began = net::boottime_now();
    const Instant deadline = began + patience.total;
    Instant ping_at = began + patience.total / 2;
    Answer answer;
    has_answer_ = false;
    progress.tick(began);
    for (Instant now = began; now < deadline && !answer;) {
        if (auto sent = now == began ? send(request) : send_again(request); !sent) {
            return tl::unexpected(sent.error());
        }
        net::Loop loop;
        loop.watch(*dealer_, [&](Instant) { return on_readable(request, answer); });
        const Instant resend = std::min(deadline, now + patience.resend_after);
        while (now < resend && !answer) {
            now = loop.turn(std::min({resend, ping_at, now + progress_interval}));
            progress.tick(now);
            if (auto error = answer ? std::nullopt : handshake_error()) {
                answer = std::move(error);
            }
            if (now >= ping_at && !answer) {
                ping_at = Instant::max();
                if (auto sent = ping(); !sent) {
                    return tl::unexpected(sent.error());
                }
            }
        }
    }
    if (!answer) {
        dealer_.reset();  // A late answer must not be taken for the next one's.
        return no_answer(request, patience.total);
    }
    return *answer;
}

}  // namespace muster::cli
