#include "cli/client.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "common/codec/codec.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/name_lookup.hpp"
#include "common/net/loop.hpp"
#include "common/spec/duration.hpp"

namespace muster::cli {

namespace {

constexpr Duration progress_interval = 100ms;
constexpr std::string_view operators_hint =
    "by default a coordinator listens to operators at tcp://127.0.0.1:7701";
/// While nobody leads.
constexpr Duration between_tries = 300ms;
/// How long the leader may take where a coordinator that stands by has answered already.
constexpr Duration patience_with_leader = 1s;
constexpr Duration lookup_patience = 2s;
constexpr RequestId ping_id{.high = 0, .low = 1};  // No operator's request has this id.

/// These are about the coordinator that is asked.
bool is_of_process(const RequestBody& body) {
    return std::holds_alternative<PingRequest>(body) || std::holds_alternative<HelpRequest>(body) ||
           std::holds_alternative<LogLevelRequest>(body) ||
           std::holds_alternative<CoordinatorListRequest>(body);
}

}  // namespace

Client::Client(net::Context& context, const std::string& endpoint,
               std::optional<net::ClientKeys> keys)
    : context_{context},
      endpoints_{net::AddressLookup{net::endpoints_in(endpoint)}.take_within(lookup_patience)},
      keys_{std::move(keys)} {}

Result<void> Client::send(const Request& request) {
    if (!dealer_) {
        auto options = net::tool_dealer();
        options.keys = keys_;
        dealer_ = std::make_unique<net::Dealer>(context_, options);
        assembly_.reset();
        link_answers_ = false;
        if (auto connected = dealer_->connect(endpoint()); !connected) {
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
                        "the connection to " + endpoint() + " accepts no message");
        }
    }
    return {};
}

Result<void> Client::ping() { return send({.id = ping_id, .body = PingRequest{}}); }

Result<void> Client::send_first(const Request& request) {
    // The ping shows at once which of several coordinators is there.
    return (endpoints_.size() > 1 ? ping() : Result<void>{}).and_then([&] {
        return send(request);
    });
}

Result<void> Client::send_again(const Request& request) {
    dealer_.reset();
    if (!link_answers_) {
        asked_ = (asked_ + 1) % endpoints_.size();
    }
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
    has_answer_ = link_answers_ = true;
    // An unreadable request has no id, and neither has the error that answers it.
    const bool ours = reply->id == request.id || (reply->id.is_none() && !reply->result);
    if (!ours) {
        return std::nullopt;
    }
    const bool is_to_lead = reply->standby && !is_of_process(request.body);
    standby_ = is_to_lead ? std::move(reply->standby) : std::nullopt;
    if (!is_to_lead) {
        return std::move(reply->result);
    }
    held_ = std::move(reply->result);
    is_held_new_ = true;
    return std::nullopt;
}

bool Client::follow_leader() {
    const std::string& leader = standby_->leader_at;
    if (leader.empty() || leader == endpoint()) {
        return false;
    }
    const auto known = std::ranges::find(endpoints_, leader);
    asked_ = static_cast<std::size_t>(known - endpoints_.begin());
    if (known == endpoints_.end()) {
        endpoints_.push_back(leader);
    }
    dealer_.reset();
    return true;
}

tl::unexpected<Error> Client::not_a_coordinator(std::string_view bytes,
                                                const std::string& fault) const {
    CoordinatorMessage to_agents;
    if (codec::decode(bytes, to_agents)) {
        return fail(Errc::unreachable,
                    fmt::format("{} is the coordinator's endpoint for agents, not for "
                                "operators; {}",
                                endpoint(), operators_hint));
    }
    return fail(Errc::unreachable, fmt::format("the peer at {} is not a coordinator ({}); {}",
                                               endpoint(), fault, operators_hint));
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
                            endpoint(), fingerprint(keys_->own.open), to_string(keys_->own.open)));
        case net::HandshakeFailure::no_answer:
            if (endpoints_.size() > 1) {
                break;  // It may be the former address of a coordinator.
            }
            return fail(
                Errc::unreachable,
                fmt::format("the peer at {} does not prove the key {} that this context "
                            "knows: it is another cluster, its coordinator has new keys, or "
                            "it listens without keys",
                            endpoint(), fingerprint(keys_->server)));
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
        return fail(Errc::timeout, fmt::format("the coordinator at {} answers, but it did not "
                                               "answer '{}' within {}; {}",
                                               endpoint(), codec::verb_of(request.body),
                                               to_string(waited), later));
    }
    return fail(Errc::unreachable,
                fmt::format("cannot reach a coordinator at {} within {}; is muster-coordinator "
                            "running, and is that its endpoint for operators? --coordinator or "
                            "MUSTER_COORDINATOR says where it is",
                            fmt::join(endpoints_, " or "), to_string(waited)));
}

Result<ReplyBody> Client::ask(const Request& request, const Patience& patience,
                              Progress& progress) {
    const Instant began = net::boottime_now();
    Times times{.now = began,
                .deadline = began + patience.total,
                .ping_at = began + patience.total / 2,
                .held_until = began + patience.total};
    Answer answer;
    has_answer_ = false;
    held_.reset();
    standby_.reset();
    bool is_new_peer = true;
    while (times.now < times.deadline && !answer) {
        if (auto sent = is_new_peer ? send_first(request) : send_again(request); !sent) {
            return tl::unexpected(sent.error());
        }
        is_held_new_ = false;
        if (auto waited = wait(request, patience, progress, times, answer); !waited) {
            return tl::unexpected(waited.error());
        }
        is_new_peer = !answer && is_held_new_ && follow_leader();
        if (is_new_peer) {
            times.held_until = std::min(times.held_until, times.now + patience_with_leader);
        } else if (!answer && is_held_new_ && *held_) {
            answer = held_;  // Nobody leads, or it is not known where.
        } else if (!answer && is_held_new_) {
            pause(times);
        }
    }
    if (!answer && held_) {
        answer = std::move(held_);
    }
    if (!answer) {
        dealer_.reset();  // A late answer must not be taken for the next one's.
        return no_answer(request, patience.total);
    }
    return *answer;
}

Result<void> Client::wait(const Request& request, const Patience& patience, Progress& progress,
                          Times& times, Answer& answer) {
    net::Loop loop;
    loop.watch(*dealer_, [&](Instant) { return on_readable(request, answer); });
    const Instant resend = std::min(times.deadline, times.now + patience.resend_after);
    const Instant next =
        endpoints_.size() == 1
            ? resend
            : times.now + patience.total / static_cast<std::int64_t>(endpoints_.size() + 1);
    // Whoever answers the ping is given the whole time.
    const auto end = [&] { return link_answers_ ? resend : std::min(resend, next); };
    progress.tick(times.now);
    while (times.now < end() && !answer && !is_held_new_) {
        times.now = loop.turn(std::min({end(), times.ping_at, times.now + progress_interval}));
        progress.tick(times.now);
        if (auto error = answer ? std::nullopt : handshake_error()) {
            answer = std::move(error);
        }
        if (times.now >= times.ping_at && !answer) {
            times.ping_at = Instant::max();
            if (auto sent = ping(); !sent) {
                return sent;
            }
        }
        if (!answer && held_ && *held_ && times.now >= times.held_until) {
            answer = held_;
        }
    }
    return {};
}

// Nobody leads at present.
void Client::pause(Times& times) {
    const Instant again = std::min(times.deadline, times.now + between_tries);
    net::Loop nothing;
    while (times.now < again) {
        times.now = nothing.turn(again);
    }
    dealer_.reset();
}

}  // namespace muster::cli
