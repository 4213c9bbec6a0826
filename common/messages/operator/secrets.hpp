#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/intents.hpp"

/// Requests about secrets that the coordinator keeps for tasks (ADR 26). No reply has a value.
namespace muster {

struct SecretListRequest : BareRequest {};
/// A new secret, or another value of a known one.
struct SecretSetRequest {
    std::string name;
    std::string value;  ///< In base64. The shell encrypts it before the core gets it.
    Occasion why{};

    friend bool operator==(const SecretSetRequest&, const SecretSetRequest&) = default;
};
/// Refused while a task names it.
struct SecretRemoveRequest {
    std::string name;
    Occasion why{};

    friend bool operator==(const SecretRemoveRequest&, const SecretRemoveRequest&) = default;
};

struct SecretView {
    std::string name;
    Generation version{};     ///< The number of the change that set the value.
    std::uint32_t bytes = 0;  ///< Of the value.
    CivilMs since{};
    std::string author{};

    friend bool operator==(const SecretView&, const SecretView&) = default;
};
/// Secrets as they are after the request.
struct SecretsReply {
    Generation counter{};
    std::vector<SecretView> secrets;

    friend bool operator==(const SecretsReply&, const SecretsReply&) = default;
};

}  // namespace muster
