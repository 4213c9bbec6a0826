#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace muster::integration {

/// Measures how long this machine keeps a thread waiting that wants to run. After such a stall a
/// test with real processes may fail without a fault of its own.
class Witness {
public:
    Witness();
    ~Witness();
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;

    /// By how much the longest sleep so far was too long, also one that has not ended yet.
    [[nodiscard]] std::chrono::milliseconds longest_oversleep() const;

private:
    using Clock = std::chrono::steady_clock;

    std::atomic<Clock::duration> longest_{Clock::duration{}};
    std::atomic<Clock::time_point> woke_{Clock::now()};
    std::jthread thread_;
};

/// True if a test that failed during such a stall may have failed because of it.
[[nodiscard]] bool is_inconclusive(std::chrono::milliseconds stalled,
                                   std::chrono::milliseconds pace);

}  // namespace muster::integration
