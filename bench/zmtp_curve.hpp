#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/zmtp.hpp"
#include "common/crypto/key.hpp"

namespace muster::bench::zmtp {

/// The peer's side of CURVE (rfc.zeromq.org/spec/26), written by hand: the handshake and the frames
/// of one connection.
class CurveLink {
public:
    CurveLink(const PublicKey& server, const KeyPair& own);

    [[nodiscard]] static std::string greeting();
    /// The first command.
    [[nodiscard]] std::string hello();
    /// The second, after the body of the server's WELCOME.
    [[nodiscard]] std::string initiate(std::string_view welcome);
    /// A whole frame with these flags and this body inside.
    [[nodiscard]] std::string sealed(unsigned char flags, std::string_view body);
    /// Our version frame followed by this frame.
    [[nodiscard]] std::string message(std::string_view body);
    /// The frame that the body of a MESSAGE encrypts. It is valid until the next call.
    [[nodiscard]] Frame opened(std::string_view body);

private:
    [[nodiscard]] std::string next_nonce();

    PublicKey server_;
    KeyPair own_;
    KeyPair passing_;
    PublicKey their_passing_;
    std::array<std::uint8_t, 32> shared_{};  ///< Of both passing keys.
    std::uint64_t nonces_ = 0;
    std::string opened_;
};

/// The key of a benchmark's server, or of its peer of this number: the same in each process.
[[nodiscard]] KeyPair bench_key(std::string_view whose, std::uint32_t number = 0);

}  // namespace muster::bench::zmtp
