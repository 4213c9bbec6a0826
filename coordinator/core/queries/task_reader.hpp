#pragma once

#include <map>

#include "coordinator/core/planning/planner.hpp"

namespace muster::coordinator {

/// The wanted tasks and their progress, as waits read them. Each task is read once in the life of
/// the object, however many waits need it.
class TaskReader {
public:
    TaskReader(const Workload& given_workload, const Planner& given_planner)
        : workload{given_workload}, planner{given_planner} {}

    [[nodiscard]] const TaskStatus& status(TaskIndex index);
    /// For people: the progress of the task, and what delays it.
    [[nodiscard]] const TaskView& shown(TaskIndex index);

    const Workload& workload;
    const Planner& planner;

private:
    std::map<TaskIndex, TaskStatus> read_;
    std::map<TaskIndex, TaskView> shown_;
};

}  // namespace muster::coordinator
