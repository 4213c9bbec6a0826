#include "coordinator/core/queries/task_reader.hpp"

#include <string>

#include "coordinator/core/planning/notes.hpp"
#include "coordinator/core/planning/pass/reading.hpp"
#include "coordinator/core/planning/reasons.hpp"

namespace muster::coordinator {

namespace {

/// The first of the instances in this state, with the reason that its agent gives.
std::string first_in(const TaskReader& view, TaskIndex index, InstanceState state,
                     std::uint32_t count) {
    const auto instance = view.planner.first_in(index, state);
    if (!instance) {
        return {};
    }
    std::string sentence =
        to_string(instance->id) + " on " + instance->node + ": " + describe_end(*instance);
    if (instance->restarts > 0) {
        sentence += "; " + std::to_string(instance->restarts) +
                    (instance->restarts == 1 ? " restart" : " restarts");
    }
    return count > 1 ? sentence + "; and " + std::to_string(count - 1) + " more" : sentence;
}

/// What delays the task most, beyond its phase.
std::string holdup_of(const TaskReader& view, TaskIndex index, const TaskStatus& status) {
    if (status.shortage().count > 0) {
        return describe_shortages(status.shortages, [](Obstacle code) { return describe(code); });
    }
    if (status.phase == TaskPhase::recovering) {
        return std::string{describe(Obstacle::recovering)};
    }
    if (status.phase == TaskPhase::failed) {
        return first_in(view, index, InstanceState::failed, status.failed);
    }
    if (status.backoff > 0) {
        return first_in(view, index, InstanceState::backoff, status.backoff);
    }
    if (status.exited > 0) {
        const std::string faulty = first_in(view, index, InstanceState::exited, 1);
        return std::to_string(status.exited) + " exited" + (faulty.empty() ? "" : "; " + faulty);
    }
    return {};
}

/// The progress of its roll-out, and what delays it.
std::string detail_of(const TaskReader& view, TaskIndex index, const TaskStatus& status) {
    const std::string halt = describe_halt(view.workload, view.planner, index);
    const std::string holdup = halt.empty() ? holdup_of(view, index, status) : halt;
    if (status.rolling == 0 && halt.empty()) {
        return holdup;
    }
    return "updated " + std::to_string(status.updated) + " of " + std::to_string(status.wanted) +
           (holdup.empty() ? "" : "; " + holdup);
}

}  // namespace

const TaskStatus& TaskReader::status(TaskIndex index) {
    const auto known = read_.find(index);
    return known != read_.end() ? known->second
                                : read_.emplace(index, planner.status(index)).first->second;
}

const TaskView& TaskReader::shown(TaskIndex index) {
    const auto known = shown_.find(index);
    if (known != shown_.end()) {
        return known->second;
    }
    const Task& task = workload[index];
    const TaskStatus& of_task = status(index);
    return shown_
        .emplace(index, TaskView{.name = task.name,
                                 .instances = of_task.wanted,
                                 .running = of_task.running,
                                 .generation = task.generation,
                                 .state = std::string{to_string(of_task.phase)},
                                 .detail = detail_of(*this, index, of_task),
                                 .updated = of_task.updated,
                                 .halted = of_task.halted_by.has_value()})
        .first->second;
}

}  // namespace muster::coordinator
