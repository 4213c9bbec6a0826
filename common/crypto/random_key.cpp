#include "common/crypto/random_key.hpp"

#include <sodium.h>

#include "common/base/ensure.hpp"

namespace muster {

SecretKey random_secret() {
    ensure(sodium_init() >= 0, "the kernel gives random bytes");
    std::array<std::uint8_t, SecretKey::size> bytes{};
    randombytes_buf(bytes.data(), bytes.size());
    const SecretKey key{bytes};
    sodium_memzero(bytes.data(), bytes.size());
    return key;
}

KeyPair random_key_pair() {
    const SecretKey secret = random_secret();
    return {.open = public_half(secret), .secret = secret};
}

}  // namespace muster
