#include "coordinator/core/planning/pass/due_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster::coordinator {

void DueTasks::all_due(TaskList& list) {
    for (const TaskIndex task : list.take(workload_)) {
        due_.add(task);
    }
}

std::vector<TaskIndex> DueTasks::take(const Scope& scope) {
    while (!wakes_.empty() && wakes_.begin()->first <= scope.now) {
        due_.add(wakes_.begin()->second);
        wakes_.erase(wakes_.begin());
    }
    if (!scope.held_back) {
        all_due(in_recovery_);
    }
    if (!scope.frozen) {
        all_due(in_freeze_);
    }
    const auto count_that_fit = [&](std::span<const TaskIndex> list) {
        std::size_t looked_at = 0;
        const auto fit = std::ranges::find_if(list, [&](TaskIndex task) {
            return looked_at >= scope.most || (looked_at += 1 + workload_[task].ordinals(), false);
        });
        return static_cast<std::size_t>(fit - list.begin());
    };
    const auto has_priority = [&](TaskIndex task) { return workload_[task].place.priority != 0; };
    if (std::ranges::none_of(due_.all(), has_priority)) {
        // Any come first, so that what is left need not be sorted each time.
        return due_.take(workload_, count_that_fit(due_.all()));
    }
    std::vector<TaskIndex> due = due_.take(workload_);
    sort(due);
    for (std::size_t rest = count_that_fit(due); rest < due.size(); ++rest) {
        due_.add(due[rest]);
    }
    std::erase_if(due, [&](TaskIndex task) { return due_.contains(task); });
    return due;
}

void DueTasks::sort(std::vector<TaskIndex>& tasks) const {
    std::ranges::sort(tasks, [&](TaskIndex a, TaskIndex b) {
        const std::int32_t of_a = workload_[a].place.priority;
        const std::int32_t of_b = workload_[b].place.priority;
        return of_a != of_b ? of_a > of_b : workload_.name(a) < workload_.name(b);
    });
}

}  // namespace muster::coordinator
