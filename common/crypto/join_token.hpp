#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"

namespace muster {

/// All that a host needs to enrol, in one word that needs no quotes in a shell:
///
///     muster1/ADDRESS:PORT,.../KEY OF THE COORDINATORS/SECRET/NAME
///
/// The secret is `none` where an admin accepts the host, and the name is empty where the host
/// chooses it.
struct JoinToken {
    std::string endpoints;  ///< tcp://ADDRESS:PORT,..., where hosts enrol: one a coordinator.
    PublicKey server;
    std::string secret;  ///< Empty: none.
    std::string name;
};

[[nodiscard]] std::string to_string(const JoinToken& token);
[[nodiscard]] Result<JoinToken> parse_join_token(std::string_view text);

}  // namespace muster
