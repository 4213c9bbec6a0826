#pragma once

#include "common/crypto/key.hpp"

namespace muster {

/// 32 bytes from the kernel's generator. Only shells ask for them.
[[nodiscard]] SecretKey random_secret();
/// A new key of CURVE.
[[nodiscard]] KeyPair random_key_pair();

}  // namespace muster
