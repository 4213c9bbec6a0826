#pragma once

#include <chrono>
#include <functional>

#include "common/net/context.hpp"
#include "common/net/host/clock.hpp"
#include "common/net/loop.hpp"

namespace muster {

/// The one context of a test program.
inline net::Context& test_context() {
    static net::Context context;
    return context;
}

/// Turns the loop until the condition is true. False: it was not, within a very long time.
inline bool turn_until(net::Loop& loop, const std::function<bool()>& holds) {
    const auto deadline = net::boottime_now() + std::chrono::seconds{20};
    while (!holds()) {
        if (net::boottime_now() >= deadline) {
            return false;
        }
        loop.turn(net::boottime_now() + std::chrono::milliseconds{10});
    }
    return true;
}

}  // namespace muster
