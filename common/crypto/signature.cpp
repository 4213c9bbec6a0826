#include "common/crypto/signature.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sodium.h>

#include "common/crypto/key_file.hpp"
#include "common/crypto/random_key.hpp"

namespace muster {
namespace {

static_assert(PublicKey::size == crypto_sign_PUBLICKEYBYTES);
static_assert(SecretKey::size == crypto_sign_SEEDBYTES);

using Signature = std::array<unsigned char, crypto_sign_BYTES>;
using LongSecret = std::array<unsigned char, crypto_sign_SECRETKEYBYTES>;

const unsigned char* as_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

PublicKey expand(const SecretKey& seed, LongSecret& secret) {
    PublicKey open;
    crypto_sign_seed_keypair(open.bytes.data(), secret.data(), seed.bytes().data());
    return open;
}

PublicKey public_half_of_signer(const SecretKey& seed) {
    LongSecret secret{};
    const PublicKey open = expand(seed, secret);
    sodium_memzero(secret.data(), secret.size());
    return open;
}

std::optional<Signature> parse_signature(std::string_view digits) {
    Signature signature{};
    std::size_t size = 0;
    const bool is_read = sodium_hex2bin(signature.data(), signature.size(), digits.data(),
                                        digits.size(), nullptr, &size, nullptr) == 0;
    return is_read && digits.size() == 2 * signature.size() ? std::optional{signature}
                                                            : std::nullopt;
}

}  // namespace

KeyPair random_signer() {
    const SecretKey seed = random_secret();
    return {.open = public_half_of_signer(seed), .secret = seed};
}

std::string sign(const KeyPair& signer, std::string_view bytes) {
    LongSecret secret{};
    expand(signer.secret, secret);
    Signature signature{};
    crypto_sign_detached(signature.data(), nullptr, as_bytes(bytes), bytes.size(), secret.data());
    sodium_memzero(secret.data(), secret.size());
    std::string digits(2 * signature.size() + 1, '\0');
    sodium_bin2hex(digits.data(), digits.size(), signature.data(), signature.size());
    digits.pop_back();
    return to_string(signer.open) + ' ' + digits;
}

Signed check_signature(std::string_view text, std::string_view bytes,
                       std::span<const PublicKey> signers) {
    const auto space = text.find(' ');
    const auto key = parse_public_key(text.substr(0, space));
    const auto signature =
        space == std::string_view::npos ? std::nullopt : parse_signature(text.substr(space + 1));
    if (!key || !signature) {
        return Signed::unreadable;
    }
    if (std::ranges::find(signers, *key) == signers.end()) {
        return Signed::by_another;
    }
    return crypto_sign_verify_detached(signature->data(), as_bytes(bytes), bytes.size(),
                                       key->bytes.data()) == 0
               ? Signed::yes
               : Signed::of_another;
}

Result<void> write_signer_file(const std::string& path, const KeyPair& signer) {
    return write_secret_file(path,
                             "# Signs specs of tasks. Whoever has it can make hosts run them.\n"
                             "signer = \"" +
                                 to_string(signer.open) + "\"\nseed = \"" +
                                 secret_text(signer.secret) + "\"\n");
}

Result<KeyPair> read_signer_file(const std::string& path) {
    return read_secret_file(path).and_then([&](const std::string& text) -> Result<KeyPair> {
        const auto open = parse_public_key(value_in(text, "signer").value_or(""));
        const auto seed = parse_secret_key(value_in(text, "seed").value_or(""));
        if (!open || !seed || public_half_of_signer(*seed) != *open) {
            return fail(Errc::invalid,
                        path +
                            " is not a whole file of a signer: it needs a line signer = \"KEY\" "
                            "and a line seed = \"KEY\" that belongs to it; restore it from a copy, "
                            "or make a new one with 'muster signer create'");
        }
        return KeyPair{*open, *seed};
    });
}

}  // namespace muster
