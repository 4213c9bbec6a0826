#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "common/base/time.hpp"
#include "common/crypto/key.hpp"

namespace muster::net {

/// Bounds the messages that each key may send in a second, over all its connections. The library
/// reads from connections in turn, so a peer that floods one delays others by a message each; but
/// it would take all time of the process, and could open many.
class PeerRate {
public:
    explicit PeerRate(std::uint32_t per_second) : per_second_{per_second} {}

    /// False: this key has sent all that it may at present.
    [[nodiscard]] bool admit(Instant now, const PublicKey& peer);

    [[nodiscard]] std::uint32_t per_second() const { return per_second_; }
    /// How many were not admitted.
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    /// Keys that are remembered: those of the last second, and as many others at most.
    [[nodiscard]] std::size_t remembered() const { return paid_until_.size(); }

private:
    struct Hash {
        // A key is as good as random, and only admitted keys come here.
        std::size_t operator()(const PublicKey& key) const {
            std::size_t hash = 0;
            std::memcpy(&hash, key.bytes.data(), sizeof hash);
            return hash;
        }
    };

    void forget_idle(Instant now);

    std::uint32_t per_second_;
    // Each message of a key moves its time on by a share of a second, at most to a second from now.
    std::unordered_map<PublicKey, Instant, Hash> paid_until_;
    std::size_t most_ = 1'024;  // Above it, idle keys are forgotten.
    std::uint64_t refused_ = 0;
};

}  // namespace muster::net
