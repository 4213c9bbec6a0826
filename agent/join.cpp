#include "agent/join.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <variant>

#include "agent/joined.hpp"
#include "common/base/paths.hpp"
#include "common/codec/codec.hpp"
#include "common/net/context.hpp"
#include "common/net/dealer.hpp"
#include "common/net/endpoint.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/host/name_lookup.hpp"
#include "common/net/loop.hpp"

namespace muster::agent {
namespace {

constexpr Duration patience = 10s;          // Divided among the coordinators.
constexpr Duration between_questions = 5s;  // While an admin decides.
constexpr Duration between_looks = 100ms;   // At handshakes: nothing wakes the loop for them.

using Answer = Result<EnrolReply>;

std::optional<Answer> answer_in(const net::Message& message) {
    if (message.size() != 2) {
        return std::nullopt;
    }
    auto reply = codec::decode_reply(message[1]);
    if (!reply) {
        return Answer{tl::unexpected{reply.error()}};
    }
    if (!reply->result) {
        return Answer{tl::unexpected{reply->result.error()}};
    }
    auto* const enrolled = std::get_if<EnrolReply>(&*reply->result);
    return enrolled == nullptr
               ? std::optional<Answer>{fail(Errc::malformed,
                                            "the coordinator answered with something else")}
               : std::optional<Answer>{std::move(*enrolled)};
}

Error failure_of(net::HandshakeFailure failure, const std::string& endpoint,
                 const JoinToken& token) {
    switch (failure) {
        case net::HandshakeFailure::refused:
            return {Errc::denied, endpoint +
                                      " takes no host now: no token is open; an admin makes one "
                                      "with 'muster token create'"};
        case net::HandshakeFailure::no_answer:
            return {Errc::unreachable, "the peer at " + endpoint +
                                           " does not prove the coordinator's key " +
                                           fingerprint(token.server) +
                                           ": the token is of another cluster or too old, or the "
                                           "address is not that of its coordinator"};
        case net::HandshakeFailure::temporary: break;
    }
    return {Errc::busy, endpoint + " takes no host at the moment; try again"};
}

/// One question to one coordinator, and its answer.
Answer ask(net::Context& context, const std::string& endpoint, Duration longest,
           const JoinToken& token, const KeyPair& own, const EnrolRequest& request) {
    auto options = net::tool_dealer();
    options.keys = net::ClientKeys{.server = token.server, .own = own};
    net::Dealer dealer{context, options};
    net::Loop loop;
    std::optional<Answer> answer;
    loop.watch(dealer, [&](Instant) {
        net::Message message;
        const auto receipt = dealer.receive(message);
        if (receipt == net::Receipt::message && !answer) {
            answer = answer_in(message);
        }
        return receipt != net::Receipt::nothing;
    });
    std::string bytes;
    codec::encode(Request{{}, request}, bytes);
    if (auto connected = dealer.connect(endpoint); !connected) {
        return tl::unexpected{connected.error()};
    }
    static_cast<void>(dealer.send({codec::version_frame(), bytes}));
    const Instant end = net::boottime_now() + longest;
    for (Instant now = net::boottime_now(); now < end && !answer;) {
        now = loop.turn(std::min(end, now + between_looks));
        if (const auto failure = dealer.take_handshake_failure(); failure && !answer) {
            return tl::unexpected{failure_of(*failure, endpoint, token)};
        }
    }
    return answer.value_or(Answer{
        fail(Errc::unreachable, "no coordinator answers at " + endpoint +
                                    "; is the address right, and does a firewall let this host "
                                    "reach it?")});
}

/// Asks one coordinator after the other, until one lets the host in or has it wait. The error is
/// that of a coordinator that answered, if any did.
Answer ask_each(net::Context& context, const JoinToken& token, const KeyPair& own,
                const EnrolRequest& request) {
    const auto endpoints =
        net::AddressLookup{net::endpoints_in(token.endpoints)}.take_within(patience);
    const Duration each = patience / static_cast<Duration::rep>(endpoints.size());
    std::optional<Error> why;
    for (const std::string& endpoint : endpoints) {
        auto answer = ask(context, endpoint, each, token, own, request);
        if (answer) {
            return answer;
        }
        if (!why || why->code == Errc::unreachable) {
            why = answer.error();
        }
    }
    return tl::unexpected{*why};
}

}  // namespace

Result<void> join(const AgentSettings& settings, const JoinToken& token) {
    if (!token.name.empty() && token.name != settings.name) {
        return fail(Errc::invalid, "the token is for " + token.name + ", and this host is called " +
                                       settings.name + "; give --name " + token.name);
    }
    const auto directories = paths::directories(settings.state_dir, settings.run_dir);
    const std::string state = paths::agent_state(directories, settings.name);
    if (auto made = paths::make_private_directory(state); !made) {
        return made;
    }
    const auto own = own_key(state);
    if (!own) {
        return tl::unexpected{own.error()};
    }
    net::Context context;
    bool is_announced = false;
    while (true) {
        const auto answer =
            ask_each(context, token, *own,
                     {.name = settings.name, .secret = token.secret, .now = net::civil_now()});
        if (!answer) {
            return tl::unexpected{answer.error()};
        }
        if (!answer->pending) {
            const auto agents = net::endpoints_to_connect(answer->agents);
            return agents
                .and_then([&](const std::string& coordinator) {
                    return write_cluster(state, {.own = *own,
                                                 .made = {},
                                                 .coordinator_key = token.server,
                                                 .coordinator = coordinator});
                })
                .map([&] {
                    std::cout << settings.name << " joined the cluster "
                              << to_string(answer->cluster) << " of " << answer->agents << '\n'
                              << std::flush;
                });
        }
        if (!is_announced) {
            is_announced = true;
            std::cout << settings.name
                      << " waits to be accepted by an admin:\n  muster node accept "
                      << settings.name << ' ' << answer->fingerprint << '\n'
                      << std::flush;
        }
        net::Loop pause;
        const Instant end = net::boottime_now() + between_questions;
        while (pause.turn(end) < end) {
        }
    }
}

}  // namespace muster::agent
