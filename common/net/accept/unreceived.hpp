#pragma once

#include <atomic>
#include <cstdint>

#include "common/base/time.hpp"
#include "common/net/accept/frame_guard.hpp"

namespace muster::net {

/// What came in on one encrypted connection and was not yet received by the application: messages
/// in the library's queue, and a message of which the end is missing. The library bounds the former
/// but not the latter, and nobody but the application can tell where a message ends.
///
/// The library's thread adds, the application's thread takes off.
class Unreceived {
public:
    using Amount = FrameGuard::Arrived;

    /// A full queue of our messages has below 200, and heartbeats of two hours are 3,600.
    static constexpr std::uint32_t most_frames = 4'096;
    /// On connections whose socket says nothing else.
    static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20U;
    /// Of all connections: what a fleet of 10,000 sends at once is a fifth of it.
    static constexpr std::uint64_t most_of_all = std::uint64_t{512} << 20U;
    /// What the library needs for a frame besides its bytes.
    static constexpr std::uint64_t frame_cost = 128;

    /// The sum over all connections.
    using All = std::atomic<std::uint64_t>;

    enum class Verdict : std::uint8_t {
        within,
        too_much,  ///< The connection must be closed.
        all_full,  ///< The connection with the most must be closed.
    };

    /// The bounds on what one connection has sent and nobody has received.
    struct Bounds {
        std::uint64_t all = most_bytes;
        std::uint64_t frame = most_bytes;  ///< The library ends a connection with a larger one.
    };
    /// A new connection.
    void begin(Instant now, const Bounds& at_most, All& all);
    void bound(const Bounds& at_most);
    [[nodiscard]] Verdict add(const Amount& arrived, All& all);
    /// Of a message, as the library counted it: see frame().
    void take_off(Instant now, const Amount& received, All& all);
    /// Nothing of it waits any more.
    void end(All& all);
    /// What this connection adds to the sum.
    [[nodiscard]] std::uint64_t cost() const;

    /// What a frame was on the wire.
    [[nodiscard]] static Amount frame(std::uint64_t encrypted_bytes) {
        return {1, encrypted_bytes > FrameGuard::small_frame ? encrypted_bytes : 0};
    }

private:
    [[nodiscard]] std::uint32_t heartbeats_until(Instant now);

    std::atomic<std::uint32_t> frames_{0};
    std::atomic<std::uint64_t> bytes_{0};
    std::atomic<std::uint64_t> at_most_{most_bytes};
    std::atomic<std::uint64_t> frame_at_most_{most_bytes};
    std::atomic<Instant> judged_{Instant{}};  // Heartbeats until then are taken off.
};

}  // namespace muster::net
