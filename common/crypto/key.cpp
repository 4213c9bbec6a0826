#include "common/crypto/key.hpp"

#include <sodium.h>

namespace muster {
namespace {

static_assert(PublicKey::size == crypto_box_PUBLICKEYBYTES);
static_assert(SecretKey::size == crypto_box_SECRETKEYBYTES);

using Bytes = std::array<std::uint8_t, PublicKey::size>;

std::string hex(const std::uint8_t* bytes, std::size_t size) {
    std::string text(2 * size + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), bytes, size);
    text.pop_back();
    return text;
}

std::optional<Bytes> parse(std::string_view text) {
    Bytes bytes{};
    std::size_t size = 0;
    const bool is_read = sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(),
                                        nullptr, &size, nullptr) == 0;
    return is_read && text.size() == 2 * bytes.size() ? std::optional{bytes} : std::nullopt;
}

}  // namespace

std::string to_string(const PublicKey& key) { return hex(key.bytes.data(), key.bytes.size()); }

std::optional<PublicKey> parse_public_key(std::string_view text) {
    const auto bytes = parse(text);
    return bytes ? std::optional{PublicKey{*bytes}} : std::nullopt;
}

std::string fingerprint(const PublicKey& key) {
    std::array<std::uint8_t, 16> hash{};
    crypto_generichash(hash.data(), hash.size(), key.bytes.data(), key.bytes.size(), nullptr, 0);
    std::string text = hex(hash.data(), hash.size());
    for (std::size_t at = text.size() - 4; at > 0; at -= 4) {
        text.insert(at, 1, '-');
    }
    return text;
}

SecretKey::~SecretKey() { sodium_memzero(bytes_.data(), bytes_.size()); }

std::optional<SecretKey> parse_secret_key(std::string_view text) {
    auto bytes = parse(text);
    if (!bytes) {
        return std::nullopt;
    }
    const SecretKey key{*bytes};
    sodium_memzero(bytes->data(), bytes->size());
    return key;
}

std::string secret_text(const SecretKey& key) {
    return hex(key.bytes().data(), key.bytes().size());
}

PublicKey public_half(const SecretKey& key) {
    PublicKey open;
    crypto_scalarmult_base(open.bytes.data(), key.bytes().data());
    return open;
}

}  // namespace muster
