#include "common/crypto/hash.hpp"

#include <cstring>
#include <sodium.h>

namespace muster {
namespace {

template <std::size_t Size>
std::array<std::uint8_t, Size> blake2b(const SecretKey* key, std::string_view text) {
    std::array<std::uint8_t, Size> hash{};
    crypto_generichash(
        hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
        key == nullptr ? nullptr : key->bytes().data(), key == nullptr ? 0 : SecretKey::size);
    return hash;
}

}  // namespace

Hash hash_of(std::string_view text) { return blake2b<32>(nullptr, text); }

Hash hash_of(const SecretKey& key, std::string_view text) { return blake2b<32>(&key, text); }

Digest short_hash_of(const SecretKey& key, std::string_view text) {
    const auto bytes = blake2b<16>(&key, text);
    Digest digest;
    std::memcpy(&digest.high, bytes.data(), 8);
    std::memcpy(&digest.low, bytes.data() + 8, 8);
    return digest;
}

bool is_same(const Hash& a, const Hash& b) {
    return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace muster
