#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "coordinator/core/planning/index/by_instance.hpp"
#include "coordinator/core/planning/index/task_list.hpp"
#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

struct PlannerState;

/// Begins the decided moves, as the tasks' max_surge, the rest of instances and the budget of a
/// pass have room for. Tasks take turns.
class MoveQueue {
public:
    /// At most so many. `ordered`: the tasks that this pass gave orders before.
    void begin(PlannerState& state, const Scope& scope, std::uint32_t budget,
               const TaskList& ordered, std::vector<Order>& orders);
    /// Until when the instance rests, since it was moved.
    [[nodiscard]] std::optional<Instant> rests_until(TaskIndex index, Ordinal ordinal) const;
    void forget(TaskIndex index) { erase_task(resting_, index); }
    /// How many tasks were looked at for moves that may begin.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

private:
    friend struct CoreFields;  // Which records it.

    void end_rests(PlannerState& state, Instant now);
    void begin(PlannerState& state, TaskIndex index, const Scope& scope, std::uint32_t& budget,
               std::vector<Order>& orders);

    /// Instances that were moved recently and until when they rest; and the same by time.
    ByInstance<Instant> resting_;
    std::deque<std::pair<Instant, std::pair<TaskIndex, Ordinal>>> rests_;
    std::uint64_t looks_ = 0;
};

}  // namespace muster::coordinator
