#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "common/base/time.hpp"
#include "common/crypto/key.hpp"

namespace muster::net {

/// Bounds what each key may send in a second, over all its connections. The library reads from
/// connections in turn, so a peer that floods one delays others by a message each; but it would
/// take all time of the process, and could open many.
class PeerRate {
public:
    struct PerSecond {
        std::uint32_t messages;
        std::uint64_t bytes = std::numeric_limits<std::int64_t>::max();
        Duration work = 1s;  ///< How long this process may be busy with them.
    };

    explicit PeerRate(const PerSecond& at_most) : at_most_{at_most} {}

    /// False: this key has sent all that it may at present, or caused all the work that it may.
    [[nodiscard]] bool admit(Instant now, const PublicKey& peer, std::size_t bytes = 0);
    /// What was admitted took so long.
    void charge(Instant now, const PublicKey& peer, Duration work);

    [[nodiscard]] const PerSecond& at_most() const { return at_most_; }
    /// How many were not admitted.
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    /// Keys that are remembered: those of the last second, and as many others at most.
    [[nodiscard]] std::size_t remembered() const { return accounts_.size(); }

private:
    // Each use moves a time on by its share of a second, at most to a second from now.
    struct Account {
        Instant messages{};
        Instant bytes{};
        Instant work{};
    };

    void forget_idle(Instant now);

    PerSecond at_most_;
    std::unordered_map<PublicKey, Account, KeyHash> accounts_;
    std::size_t most_ = 1'024;  // Above it, idle keys are forgotten.
    std::uint64_t refused_ = 0;
};

}  // namespace muster::net
