#pragma once

#include <map>

#include "coordinator/core/planning/planner.hpp"

namespace muster::coordinator {

/// What tasks are wanted and how far each is: what a wait looks at. A task is read once for as long
/// as the view lives, however many wait for it.
class TaskReader {
public:
    TaskReader(const Workload& given_workload, const Planner& given_planner)
        : workload{given_workload}, planner{given_planner} {}

    [[nodiscard]] const TaskStatus& status(TaskIndex index);
    /// For people: how far it is, and what holds it up.
    [[nodiscard]] const TaskView& shown(TaskIndex index);

    const Workload& workload;
    const Planner& planner;

private:
    std::map<TaskIndex, TaskStatus> read_;
    std::map<TaskIndex, TaskView> shown_;
};

}  // namespace muster::coordinator
