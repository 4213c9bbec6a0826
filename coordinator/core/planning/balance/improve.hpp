#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "coordinator/core/planning/pass/planner_state.hpp"

namespace muster::coordinator {

/// The balance where some nodes do not suit some instances: one move after another, each from the
/// fullest node that can give one to the least loaded node that may take it.
///
/// A move is made only if the target passes all filters, with both copies counted, if it stays
/// below the source in load, and if affinity and spread do not get worse. So the sum of the squares
/// of all loads falls with each move: it is never worse than before, and it ends.
///
/// What it does not do: it moves no two instances against each other, nor one to make room for
/// another, and it looks at so much in one round and no more. So it may end above the best spread.
class Improve {
public:
    explicit Improve(PlannerState& state) : state_{state} {}

    void run();

private:
    void take_places();
    void improve();
    [[nodiscard]] std::optional<NodeIndex> next_source(std::uint32_t load) const;
    [[nodiscard]] bool give(NodeIndex source);
    [[nodiscard]] bool give(NodeIndex source, TaskIndex task, Ordinal ordinal);

    PlannerState& state_;
    NodeSet spent_;  // By rank: nothing can be moved from there.
    std::size_t steps_left_ = 0;
};

}  // namespace muster::coordinator
