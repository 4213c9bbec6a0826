#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/crypto/key.hpp"

/// Signatures of operators by Ed25519. A signer's key has the form of a key of CURVE, but it is
/// another kind of key.
namespace muster {

/// A pair for signing: the public half, and the seed of the secret half.
[[nodiscard]] KeyPair random_signer();
/// `KEY SIGNATURE`, each in hexadecimal digits.
[[nodiscard]] std::string sign(const KeyPair& signer, std::string_view bytes);

enum class Signed : std::uint8_t {
    yes,
    unreadable,  ///< It is no signature.
    by_another,  ///< By none of these signers.
    of_another,  ///< Of other bytes, or forged.
};
/// Whether the text is the signature of these bytes by one of the signers.
[[nodiscard]] Signed check_signature(std::string_view text, std::string_view bytes,
                                     std::span<const PublicKey> signers);

/// A new file, mode 0600. `exists`: there is one already.
[[nodiscard]] Result<void> write_signer_file(const std::string& path, const KeyPair& signer);
[[nodiscard]] Result<KeyPair> read_signer_file(const std::string& path);

}  // namespace muster
