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
    bool may_stay = false;  ///< It did, or it is wanted in this version and place.
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
    std::size_t running = 0;  ///< Instances that run as wanted.
};

/// The beginning and the end of a step of a scenario.
struct StepEnds {
    std::vector<OldCopy> old_copies;  ///< In reach, and not ended by a fault.
    std::vector<EndNode> nodes;       ///< In reach.
    std::vector<EndTask> tasks;
};

struct Moves {
    std::uint64_t starts = 0;
    std::uint64_t stops = 0;
};

/// The fewest starts and stops that lead from the beginning to the end, or to an equally good end:
/// the same number of each task runs, the open nodes of each pool have the same loads in any order,
/// and other nodes have no more than they had. A copy at such an end that did not stay was started.
/// An old copy that did not stay was stopped.
///
/// This is a lower bound. It cannot always be reached, because it ignores which copies may share a
/// node.
[[nodiscard]] Moves least_moves(const StepEnds& ends);

}  // namespace muster::sim
