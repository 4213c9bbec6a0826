#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// The public half of a key of CURVE (Curve25519). Its text form is 64 lower-case hexadecimal
/// digits.
struct PublicKey {
    static constexpr std::size_t size = 32;
    std::array<std::uint8_t, size> bytes{};

    [[nodiscard]] bool is_none() const { return *this == PublicKey{}; }
    friend bool operator==(const PublicKey&, const PublicKey&) = default;
    friend auto operator<=>(const PublicKey&, const PublicKey&) = default;
};

/// Of keys that are as good as random: those that were admitted.
struct KeyHash {
    std::size_t operator()(const PublicKey& key) const {
        std::size_t hash = 0;
        std::memcpy(&hash, key.bytes.data(), sizeof hash);
        return hash;
    }
};

[[nodiscard]] std::string to_string(const PublicKey& key);
/// Nothing for any other text than 64 hexadecimal digits.
[[nodiscard]] std::optional<PublicKey> parse_public_key(std::string_view text);
/// For people to compare: eight groups of four digits of the key's hash.
[[nodiscard]] std::string fingerprint(const PublicKey& key);

/// 32 secret bytes. The memory is overwritten when they are no longer needed.
class SecretKey {
public:
    static constexpr std::size_t size = 32;

    SecretKey() = default;
    explicit SecretKey(const std::array<std::uint8_t, size>& bytes) : bytes_{bytes} {}
    ~SecretKey();
    SecretKey(const SecretKey&) = default;
    SecretKey& operator=(const SecretKey&) = default;

    [[nodiscard]] const std::array<std::uint8_t, size>& bytes() const { return bytes_; }
    [[nodiscard]] bool is_none() const { return bytes_ == std::array<std::uint8_t, size>{}; }

private:
    std::array<std::uint8_t, size> bytes_{};
};

[[nodiscard]] std::optional<SecretKey> parse_secret_key(std::string_view text);
/// The text form. Only for a file that nobody else may read.
[[nodiscard]] std::string secret_text(const SecretKey& key);

/// The public half that belongs to a secret key of CURVE.
[[nodiscard]] PublicKey public_half(const SecretKey& key);

/// Both halves.
struct KeyPair {
    PublicKey open;
    SecretKey secret;
};

}  // namespace muster
