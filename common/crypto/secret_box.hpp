#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/crypto/key.hpp"

/// Values of secrets that the coordinator keeps for tasks (ADR 26): encrypted in its store, and
/// sealed for one agent on the wire. Both are texts in base64.
namespace muster {

[[nodiscard]] std::string base64_of(std::string_view bytes);
[[nodiscard]] std::optional<std::string> bytes_of_base64(std::string_view text);

/// The key for the store, made of the cluster's secret, which is not in the store.
[[nodiscard]] SecretKey store_key(const SecretKey& cluster);

/// XChaCha20-Poly1305. The nonce is a keyed hash of name and value, so the same value of the same
/// name has the same text, and a retry of a request is the same request.
[[nodiscard]] std::string encrypt_secret(const SecretKey& store_key, std::string_view name,
                                         std::string_view value);
/// Nothing: another key, another name, or not such a text.
[[nodiscard]] std::optional<std::string> decrypt_secret(const SecretKey& store_key,
                                                        std::string_view name,
                                                        std::string_view text);
/// It has the form of encrypt_secret().
[[nodiscard]] bool is_encrypted_secret(std::string_view text);
/// The bytes of the value in such a text.
[[nodiscard]] std::size_t bytes_of_encrypted(std::string_view text);

/// A sealed box, which only the owner of the key can open. Uses dice: only shells call it.
[[nodiscard]] std::string seal_secret(const PublicKey& key, std::string_view name,
                                      Generation number, std::string_view value);
/// Nothing: for another key, of another name or number, or not such a text.
[[nodiscard]] std::optional<std::string> open_secret(const KeyPair& own, std::string_view name,
                                                     Generation number, std::string_view text);

/// Overwrites a text before its memory is used again.
void wipe(std::string& text);

}  // namespace muster
