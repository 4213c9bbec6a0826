#include "common/crypto/join_token.hpp"

#include <array>

#include "common/base/ids.hpp"

namespace muster {
namespace {

constexpr std::string_view version = "muster1";
constexpr std::string_view no_secret = "none";
constexpr std::string_view scheme = "tcp://";

}  // namespace

std::string to_string(const JoinToken& token) {
    const std::string_view address = std::string_view{token.endpoint}.substr(scheme.size());
    return std::string{version} + '/' + std::string{address} + '/' + to_string(token.server) + '/' +
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
    const auto [begin, address, server, secret, name] = parts;
    if (begin != version) {
        return fail(Errc::invalid, "a token begins with " + std::string{version} +
                                       "/; 'muster token create' prints the whole command");
    }
    const auto key = parse_public_key(server);
    const bool is_secret = secret == no_secret || parse_public_key(secret);
    if (count < parts.size() || address.empty() || !key || !is_secret) {
        return fail(Errc::invalid,
                    "the token is cut off or damaged; copy the whole line that 'muster token "
                    "create' printed");
    }
    if (!name.empty() && !is_valid_name(name)) {
        return fail(Errc::invalid,
                    "the token ends with a name that is not valid: " + std::string{name_rule()});
    }
    return JoinToken{.endpoint = std::string{scheme} + std::string{address},
                     .server = *key,
                     .secret = secret == no_secret ? std::string{} : std::string{secret},
                     .name = std::string{name}};
}

}  // namespace muster
