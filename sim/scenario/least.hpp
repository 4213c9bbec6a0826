#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/event_queue.hpp"

namespace muster::sim {

/// A process that ran when a step of a scenario began.
struct OldCopy {
    HostIndex host{};
    std::string task;
    Ordinal ordinal{};
    bool may_stay = false;  ///< It did, or it is wanted as it is and where it is.
};

/// A node at the end of the step.
struct EndNode {
    HostIndex host{};
    std::string pool;
    bool is_open = false;  ///< It gets new work.
    std::size_t load = 0;  ///< Processes on it.
};

/// A task at the end of the step.
struct EndTask {
    std::string name;
    std::string pool;
    std::size_t running = 0;  ///< Instances of it that run as they are wanted.
};

/// What a step of a scenario began with and what it led to.
struct StepEnds {
    std::vector<OldCopy> old_copies;  ///< But those that a fault ended, or on nodes out of reach.
    std::vector<EndNode> nodes;       ///< In reach.
    std::vector<EndTask> tasks;
};

struct Moves {
    std::uint64_t starts = 0;
    std::uint64_t stops = 0;
};

/// The fewest starts and stops that lead from the one to the other, or to an end that is as good:
/// of each task as many run, the open nodes of each pool have the same loads, whichever has which,
/// and the others have no more than they have. What runs at such an end and did not stay was
/// started; what ran before and did not stay was stopped.
///
/// It is a bound that cannot be undercut, and sometimes not be reached: which copies may share a
/// node is not looked at.
[[nodiscard]] Moves least_moves(const StepEnds& ends);

}  // namespace muster::sim
