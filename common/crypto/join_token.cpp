#include "common/crypto/join_token.hpp"

#include <array>

#include "common/base/ids.hpp"

namespace muster {
namespace {

constexpr std::string_view version = "muster1";
constexpr std::string_view no_secret = "none";
constexpr std::string_view scheme = "tcp://";

/// `tcp://a:1,tcp://b:1` as `a:1,b:1`.
std::string without_schemes(std::string endpoints) {
    for (auto at = endpoints.find(scheme); at != std::string::npos; at = endpoints.find(scheme)) {
        endpoints.erase(at, scheme.size());
    }
    return endpoints;
}

std::string with_schemes(std::string_view addresses) {
    std::string endpoints{scheme};
    for (const char each : addresses) {
        endpoints += each;
        if (each == ',') {
            endpoints += scheme;
        }
    }
    return endpoints;
}

}  // namespace

std::string to_string(const JoinToken& token) {
    return std::string{version} + '/' + without_schemes(token.endpoints) + '/' +
           to_string(token.server) + '/' +
           (token.secret.empty() ? std::string{no_secret} : token.secret) + '/' + token.name;
}

Result<JoinToken> parse_join_token(std::string_view text) {
    std::array<std::string_view, 5> parts;
    std::size_t count = 0;
    while (count < parts.size()) {
        const auto slash = count + 1 < parts.size() ? text.find('/') : std::string_view::npos;
        parts[count++] = text.substr(0, slash);
        if (slash == std::string_view::npos) {
            break;
        }
        text.remove_prefix(slash + 1);
    }
    const auto [begin, addresses, server, secret, name] = parts;
    if (begin != version) {
        return fail(Errc::invalid, "a token begins with " + std::string{version} +
                                       "/; 'muster token create' prints the whole command");
    }
    const auto key = parse_public_key(server);
    const bool is_secret = secret == no_secret || parse_public_key(secret);
    if (count < parts.size() || addresses.empty() || !key || !is_secret) {
        return fail(Errc::invalid,
                    "the token is cut off or damaged; copy the whole line that 'muster token "
                    "create' printed");
    }
    if (!name.empty() && !is_valid_name(name)) {
        return fail(Errc::invalid,
                    "the token ends with a name that is not valid: " + std::string{name_rule()});
    }
    return JoinToken{.endpoints = with_schemes(addresses),
                     .server = *key,
                     .secret = secret == no_secret ? std::string{} : std::string{secret},
                     .name = std::string{name}};
}

}  // namespace muster
