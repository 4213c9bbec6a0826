#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace muster {

/// The time line of every deadline. It deliberately has no now(): only the event loop (which asks
/// the kernel) and the simulator (which asks its queue) know the time, and they pass it in.
struct CoreClock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<CoreClock>;
    static constexpr bool is_steady = true;
};

using Duration = CoreClock::duration;
using Instant = CoreClock::time_point;

/// Civil time for people, schedules and request ids: since 1970-01-01 UTC. Never a deadline.
enum class CivilMs : std::int64_t {};

/// Time since a host's boot, suspended or not. Only compared with times of the same boot.
enum class BootMs : std::uint64_t {};

using namespace std::chrono_literals;

[[nodiscard]] constexpr std::int64_t to_ms(Duration duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// An agent's instants count from its host's boot.
[[nodiscard]] constexpr BootMs boot_ms(Instant now) {
    return static_cast<BootMs>(to_ms(now.time_since_epoch()));
}
/// For a peer's times, too: no host is up for a century, and sums of these fit 64 bits.
[[nodiscard]] constexpr Instant instant_of(BootMs boot) {
    constexpr std::uint64_t most = 4'000'000'000'000;
    const std::uint64_t ms = std::min(static_cast<std::uint64_t>(boot), most);
    return Instant{std::chrono::milliseconds{static_cast<std::int64_t>(ms)}};
}

}  // namespace muster
