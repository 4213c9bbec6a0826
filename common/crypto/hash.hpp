#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/crypto/key.hpp"

namespace muster {

/// 32 bytes of BLAKE2b (RFC 7693).
using Hash = std::array<std::uint8_t, 32>;

/// The hash of a text, without a key.
[[nodiscard]] Hash hash_of(std::string_view text);
/// The hash of a text that only those who have the key can make and check.
[[nodiscard]] Hash hash_of(const SecretKey& key, std::string_view text);
/// The same of 128 bits, where many are kept.
[[nodiscard]] Digest short_hash_of(const SecretKey& key, std::string_view text);

/// Equal, without showing by its time where two hashes differ.
[[nodiscard]] bool is_same(const Hash& a, const Hash& b);

}  // namespace muster
