#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"

namespace muster::agent {

/// The cluster that this host joined, in the agent's state directory:
///
///     agent.key        proves this host; made here, and it never leaves
///     agent.key.new    replaces it; only while a key is being replaced
///     cluster          where the coordinator is, and the key by which it proves itself
struct Joined {
    KeyPair own;
    std::optional<KeyPair> made;  ///< The key that is to replace it.
    PublicKey coordinator_key;
    std::string coordinator;  ///< Its endpoint for agents.
};

/// Nothing: this host joined no cluster. An error: a file cannot be used.
[[nodiscard]] Result<std::optional<Joined>> read_joined(const std::string& state);
/// The key of this host, which is made if there is none.
[[nodiscard]] Result<KeyPair> own_key(const std::string& state);
/// Writes the key that is to replace the one of this host, durably.
[[nodiscard]] Result<void> write_new_key(const std::string& state, const KeyPair& pair);
/// It replaces the key of this host, durably.
[[nodiscard]] Result<void> keep_new_key(const std::string& state);
/// Replaces what is known about the cluster.
[[nodiscard]] Result<void> write_cluster(const std::string& state, const Joined& joined);

}  // namespace muster::agent
