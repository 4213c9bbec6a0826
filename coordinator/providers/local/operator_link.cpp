#include "coordinator/providers/local/operator_link.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "common/codec/chunking.hpp"
#include "common/codec/codec.hpp"
#include "common/crypto/hash.hpp"
#include "common/crypto/join_token.hpp"
#include "common/crypto/random_key.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/entropy.hpp"

namespace muster::local_provider {
namespace {

constexpr Duration patience = 5s;
constexpr std::uint64_t token_life_ms = 60'000;
constexpr const char* author = "muster-pool-local";

using Answer = std::optional<Result<ReplyBody>>;

Answer answer_in(const RequestId& id, std::string_view bytes) {
    auto reply = codec::decode_reply(bytes);
    if (!reply) {
        return tl::unexpected{reply.error()};
    }
    // An unreadable request has no id, and neither has the error that answers it.
    const bool is_ours = reply->id == id || (reply->id.is_none() && !reply->result);
    return is_ours ? Answer{std::move(reply->result)} : std::nullopt;
}

}  // namespace

OperatorLink::OperatorLink(std::string endpoint)
    : endpoint_{std::move(endpoint)}, dealer_{context_, net::tool_dealer()} {}

Result<void> OperatorLink::connect() {
    if (is_connected_) {
        return {};
    }
    is_connected_ = true;
    return dealer_.connect(endpoint_);
}

Result<ReplyBody> OperatorLink::ask(RequestBody body) {
    if (auto connected = connect(); !connected) {
        return tl::unexpected{connected.error()};
    }
    const Request request{.id = net::random_request_id(net::civil_now()), .body = std::move(body)};
    Answer answer;
    parts::Assembly assembly;
    loop_.watch(dealer_, [&](Instant) {
        net::Message message;
        const auto receipt = dealer_.receive(message);
        if (receipt != net::Receipt::message || message.size() != 2 || answer) {
            return receipt != net::Receipt::nothing;
        }
        if (!parts::is_part(message[1])) {
            answer = answer_in(request.id, message[1]);
        } else if (const auto progress = assembly.add(message[1]); !progress) {
            answer = tl::unexpected{progress.error()};
        } else if (*progress == parts::Assembly::Progress::complete) {
            answer = answer_in(request.id, assembly.take());
        }
        return true;
    });
    std::string bytes;
    codec::encode(request, bytes);
    static_cast<void>(dealer_.send({codec::version_frame(), bytes}));
    const Instant end = net::boottime_now() + patience;
    while (!answer && loop_.turn(end) < end) {
    }
    loop_.forget(dealer_);
    return answer ? *std::move(answer)
                  : fail(Errc::unreachable,
                         "no coordinator answers at " + endpoint_ +
                             "; --operators must be the local socket of a coordinator that leads");
}

namespace {

Result<std::string> token_for(OperatorLink& link, const std::string& host,
                              const std::string& reason) {
    const std::string secret = secret_text(random_secret());
    return link
        .ask(TokenCreateRequest{.pattern = host,
                                .hash = to_string(PublicKey{hash_of(secret)}),
                                .ttl_ms = token_life_ms,
                                .uses = 1,
                                .why = {.reason = reason, .author = author}})
        .and_then([&](const ReplyBody& body) -> Result<std::string> {
            const auto* const reply = std::get_if<TokensReply>(&body);
            const auto server = reply == nullptr ? std::nullopt : parse_public_key(reply->key);
            if (!server) {
                return fail(Errc::malformed, "the coordinator answered with something else");
            }
            return to_string(JoinToken{
                .endpoints = reply->enrolment, .server = *server, .secret = secret, .name = host});
        });
}

}  // namespace

Result<std::vector<std::string>> tokens_for(const std::vector<std::string>& hosts,
                                            const std::string& endpoint,
                                            const std::string& reason) {
    OperatorLink link{endpoint};
    const auto open = link.ask(TokenListRequest{});
    if (!open) {
        return tl::unexpected{open.error()};
    }
    const auto* const reply = std::get_if<TokensReply>(&*open);
    if (reply == nullptr || reply->key.empty()) {
        return std::vector<std::string>(hosts.size());
    }
    std::vector<std::string> tokens;
    for (const std::string& host : hosts) {
        auto token = token_for(link, host, reason);
        if (!token) {
            return tl::unexpected{token.error()};
        }
        tokens.push_back(*std::move(token));
    }
    return tokens;
}

void forget_keys(const std::vector<std::string>& hosts, const std::string& endpoint) {
    if (hosts.empty()) {
        return;
    }
    OperatorLink link{endpoint};
    for (const std::string& host : hosts) {
        const auto done = link.ask(
            KeyRemoveRequest{host, {.reason = "its pool removed the node", .author = author}});
        if (!done && done.error().code == Errc::unreachable) {
            return;
        }
    }
}

}  // namespace muster::local_provider
