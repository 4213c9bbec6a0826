#include "common/crypto/secret_box.hpp"

#include <algorithm>
#include <sodium.h>

#include "common/base/ensure.hpp"
#include "common/crypto/hash.hpp"

namespace muster {
namespace {

constexpr std::string_view encrypted_form = "v1:";
constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_bytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;

const unsigned char* bytes_in(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_in(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string nonce_of(const SecretKey& key, std::string_view name, std::string_view value) {
    std::string text = "nonce " + std::to_string(name.size()) + ' ';
    text.append(name).append(value);
    const Hash hash = hash_of(key, text);
    wipe(text);
    return {reinterpret_cast<const char*>(hash.data()), nonce_bytes};
}

/// What precedes a value in its sealed box.
std::string heading(std::string_view name, Generation number) {
    return std::string{name} + ' ' + std::to_string(raw(number)) + '\n';
}

}  // namespace

std::string base64_of(std::string_view bytes) {
    std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(text.data(), text.size(), bytes_in(bytes), bytes.size(),
                      sodium_base64_VARIANT_ORIGINAL);
    text.pop_back();  // The zero.
    return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
    std::string bytes(text.size(), '\0');
    std::size_t size = 0;
    const char* end = nullptr;
    if (sodium_base642bin(bytes_in(bytes), bytes.size(), text.data(), text.size(), nullptr, &size,
                          &end, sodium_base64_VARIANT_ORIGINAL) != 0 ||
        end != text.data() + text.size()) {
        return std::nullopt;
    }
    bytes.resize(size);
    return bytes;
}

SecretKey store_key(const SecretKey& cluster) {
    return cluster.is_none() ? SecretKey{} : SecretKey{hash_of(cluster, "secrets in the store")};
}

std::string encrypt_secret(const SecretKey& store_key, std::string_view name,
                           std::string_view value) {
    std::string box = nonce_of(store_key, name, value);
    box.resize(nonce_bytes + value.size() + tag_bytes);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes_in(box) + nonce_bytes, nullptr, bytes_in(value), value.size(), bytes_in(name),
        name.size(), nullptr, bytes_in(box), store_key.bytes().data());
    return std::string{encrypted_form} + base64_of(box);
}

std::optional<std::string> decrypt_secret(const SecretKey& store_key, std::string_view name,
                                          std::string_view text) {
    if (!is_encrypted_secret(text) || store_key.is_none()) {
        return std::nullopt;
    }
    const auto box = bytes_of_base64(text.substr(encrypted_form.size()));
    if (!box || box->size() < nonce_bytes + tag_bytes) {
        return std::nullopt;
    }
    std::string value(box->size() - nonce_bytes - tag_bytes, '\0');
    const bool is_ours =
        crypto_aead_xchacha20poly1305_ietf_decrypt(
            bytes_in(value), nullptr, nullptr, bytes_in(std::string_view{*box}) + nonce_bytes,
            box->size() - nonce_bytes, bytes_in(name), name.size(),
            bytes_in(std::string_view{*box}), store_key.bytes().data()) == 0;
    return is_ours ? std::optional{std::move(value)} : std::nullopt;
}

bool is_encrypted_secret(std::string_view text) { return text.starts_with(encrypted_form); }

std::size_t bytes_of_encrypted(std::string_view text) {
    const std::string_view digits = text.substr(std::min(text.size(), encrypted_form.size()));
    const std::size_t padding = digits.ends_with("==") ? 2 : digits.ends_with('=') ? 1 : 0;
    const std::size_t bytes = digits.size() / 4 * 3 - std::min(digits.size() / 4 * 3, padding);
    return bytes - std::min(bytes, nonce_bytes + tag_bytes);
}

std::string seal_secret(const PublicKey& key, std::string_view name, Generation number,
                        std::string_view value) {
    ensure(sodium_init() >= 0, "the kernel gives random bytes");
    std::string text = heading(name, number).append(value);
    std::string box(text.size() + crypto_box_SEALBYTES, '\0');
    const bool is_sealed = crypto_box_seal(bytes_in(box), bytes_in(std::string_view{text}),
                                           text.size(), key.bytes.data()) == 0;
    wipe(text);
    return is_sealed ? base64_of(box) : std::string{};  // A key of low order seals nothing.
}

std::optional<std::string> open_secret(const KeyPair& own, std::string_view name, Generation number,
                                       std::string_view text) {
    const auto box = bytes_of_base64(text);
    if (!box || box->size() < crypto_box_SEALBYTES) {
        return std::nullopt;
    }
    std::string opened(box->size() - crypto_box_SEALBYTES, '\0');
    if (crypto_box_seal_open(bytes_in(opened), bytes_in(std::string_view{*box}), box->size(),
                             own.open.bytes.data(), own.secret.bytes().data()) != 0) {
        return std::nullopt;
    }
    const std::string begin = heading(name, number);
    auto value =
        opened.starts_with(begin) ? std::optional{opened.substr(begin.size())} : std::nullopt;
    wipe(opened);
    return value;
}

void wipe(std::string& text) {
    text.resize(text.capacity());  // A text that was moved leaves its bytes in here.
    sodium_memzero(text.data(), text.size());
    text.clear();
}

}  // namespace muster
