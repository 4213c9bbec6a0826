#pragma once

#include <cstdint>

#include "coordinator/core/liveness/poll_rounds.hpp"
#include "coordinator/core/planning/histogram.hpp"
#include "coordinator/core/workload/placements.hpp"

namespace muster::coordinator {

/// Counters since the leadership began. Present values are not here: they are read where they are
/// known, so that no copy can differ.
struct Counters {
    std::uint64_t rounds = 0;  ///< Closed rounds.
    std::uint64_t misses = 0;
    std::uint64_t starts = 0;  ///< Ordered. A move is a start and later a stop.
    std::uint64_t stops = 0;
    std::uint64_t moves = 0;  ///< Starts that were moves.
    ClosedRound last;         ///< The last closed round; round 0: none has closed.
    Histogram round;          ///< From the first poll of a round to its close.

    void closed(const ClosedRound& closed) {
        ++rounds;
        misses += closed.missed;
        last = closed;
        round.add(closed.lasted);
    }
    void ordered(const Order& order) {
        const bool is_start = order.action == Order::Action::start;
        ++(is_start ? starts : stops);
        moves += is_start && order.cause == Cause::balance ? 1U : 0U;
    }
};

}  // namespace muster::coordinator
