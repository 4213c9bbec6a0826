#include <variant>

#include <fmt/format.h>

#include "cli/subjects/verbs.hpp"
#include "common/crypto/hash.hpp"
#include "common/crypto/join_token.hpp"
#include "common/crypto/random_key.hpp"
#include "common/text/pattern.hpp"

namespace muster::cli {

ExitCode run_token(Console& console, TokenCreateRequest request) {
    // The coordinator gets the hash only, so nobody can read the secret there.
    const std::string secret = secret_text(random_secret());
    request.hash = to_string(PublicKey{hash_of(secret)});
    const auto answer = console.ask(request);
    if (!answer) {
        return console.fail_with(answer.error());
    }
    const auto* const reply = std::get_if<TokensReply>(&*answer);
    const auto server = reply == nullptr ? std::nullopt : parse_public_key(reply->key);
    if (!server || reply->tokens.empty()) {
        return console.fail_with({Errc::refused,
                                  "the coordinator runs without keys, so hosts need no token to "
                                  "join; 'muster init' makes keys"});
    }
    const std::string token =
        to_string(JoinToken{.endpoints = reply->enrolment,
                            .server = *server,
                            .secret = secret,
                            .name = pattern::is_name(request.pattern) ? request.pattern : ""});
    if (console.settings().json) {
        return deliver(
            fmt::format("{{\"id\":\"{}\",\"token\":\"{}\"}}\n", reply->tokens.front().id, token));
    }
    return deliver(fmt::format("muster-agent join {}\n", token));
}

}  // namespace muster::cli
