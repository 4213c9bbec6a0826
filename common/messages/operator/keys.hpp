#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/messages/operator/intents.hpp"
#include "common/messages/role.hpp"

/// Requests about keys, and about the tokens with which hosts enrol. A key is 64 hexadecimal
/// digits.
namespace muster {

struct KeyListRequest {
    std::string pattern{};

    friend bool operator==(const KeyListRequest&, const KeyListRequest&) = default;
};
/// A new name with its first key, or the second key of a known name: then both are valid.
struct KeyAddRequest {
    std::string name;
    Role role = Role::observer;
    std::string key;
    std::uint64_t valid_ms = 0;        ///< From now. 0: for ever.
    std::vector<std::string> pools{};  ///< Of the nodes that the name may change. Empty: all.
    std::vector<std::string> tasks{};  ///< Patterns of the tasks that it may change. Empty: all.
    Occasion why{};

    friend bool operator==(const KeyAddRequest&, const KeyAddRequest&) = default;
};
/// The keys are refused from now on, and the name gets no other key before it is removed.
struct KeyRevokeRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const KeyRevokeRequest&, const KeyRevokeRequest&) = default;
};
/// Forgets the names and their keys.
struct KeyRemoveRequest {
    std::string pattern;
    Occasion why{};

    friend bool operator==(const KeyRemoveRequest&, const KeyRemoveRequest&) = default;
};
/// Asks the agent of this name for a new key, which then replaces the present one.
struct KeyRotateRequest {
    std::string name;
    Occasion why{};

    friend bool operator==(const KeyRotateRequest&, const KeyRotateRequest&) = default;
};
/// A new key for the name of the caller, with the same role and limits. The first use of the new
/// key retires the others; until then, for an hour at most, all are valid.
struct KeyRenewRequest {
    std::string key;
    Occasion why{};

    friend bool operator==(const KeyRenewRequest&, const KeyRenewRequest&) = default;
};
/// Admits a host that enrolled without a token.
struct NodeAcceptRequest {
    std::string name;
    std::string fingerprint;  ///< Of its key, as that host prints it.
    Occasion why{};

    friend bool operator==(const NodeAcceptRequest&, const NodeAcceptRequest&) = default;
};

struct KeyView {
    std::string name;
    std::string role;
    std::string state;  ///< valid | expired | revoked | pending
    /// That of its name: asked (of its agent), or registered and not used yet. Empty: none.
    std::string rotation{};
    std::string fingerprint{};
    std::string key{};
    CivilMs since{};
    CivilMs until{};  ///< 0: for ever.
    std::vector<std::string> pools{};
    std::vector<std::string> tasks{};
    std::string author{};

    friend bool operator==(const KeyView&, const KeyView&) = default;
};
/// Keys as they are after the request.
struct KeysReply {
    Generation counter{};
    std::vector<KeyView> keys;

    friend bool operator==(const KeysReply&, const KeysReply&) = default;
};

/// A host asks to be admitted under a name. Its key is the one that its connection proved.
struct EnrolRequest {
    std::string name;
    std::string secret{};  ///< Of a token; the core gets its hash. Empty: an admin decides.
    CivilMs now{};         ///< By the clock of the host.

    friend bool operator==(const EnrolRequest&, const EnrolRequest&) = default;
};
struct EnrolReply {
    std::string name;
    ClusterId cluster{};
    bool pending = false;       ///< An admin must accept it first.
    std::string fingerprint{};  ///< Of the key.
    std::string agents{};       ///< Where the coordinator listens to agents.

    friend bool operator==(const EnrolReply&, const EnrolReply&) = default;
};

struct TokenListRequest : BareRequest {};
/// Hosts may enrol with the secret of this hash (BLAKE2b, 256 bits) under names that match. The
/// coordinator never sees the secret before a host presents it.
struct TokenCreateRequest {
    std::string pattern;
    std::string hash;
    std::uint64_t ttl_ms = 600'000;
    std::uint32_t uses = 1;
    Occasion why{};

    friend bool operator==(const TokenCreateRequest&, const TokenCreateRequest&) = default;
};
struct TokenRevokeRequest {
    std::string id;
    Occasion why{};

    friend bool operator==(const TokenRevokeRequest&, const TokenRevokeRequest&) = default;
};

struct TokenView {
    std::string id;  ///< The first digits of its hash.
    std::string pattern;
    std::uint32_t uses = 0;  ///< Left.
    CivilMs until{};
    std::string author{};

    friend bool operator==(const TokenView&, const TokenView&) = default;
};
/// Open tokens, as they are after the request.
struct TokensReply {
    Generation counter{};
    std::vector<TokenView> tokens;
    std::string enrolment{};  ///< Where hosts enrol.
    std::string key{};        ///< The coordinator's public key.

    friend bool operator==(const TokensReply&, const TokensReply&) = default;
};

}  // namespace muster
