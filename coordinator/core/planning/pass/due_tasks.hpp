#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "coordinator/core/planning/index/task_list.hpp"
#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// Which tasks the next pass plans, and what the others wait for.
class DueTasks {
public:
    explicit DueTasks(const Workload& workload) : workload_{workload} {}

    /// Adds the task to the next pass.
    void add(TaskIndex task) {
        any_with_priority_ = any_with_priority_ || workload_[task].place.priority != 0;
        due_.add(task);
    }
    void wake_at(Instant at, TaskIndex task) { wakes_.emplace(at, task); }
    void wait_for_recovery(TaskIndex task) { in_recovery_.add(task); }
    void wait_for_thaw(TaskIndex task) { in_freeze_.add(task); }
    void wait_for_nodes(TaskIndex task) { short_of_nodes_.add(task); }
    void wait_for_room(TaskIndex task) { short_of_room_.add(task); }

    /// Another node serves, or offers changed.
    void on_nodes_changed() { all_due(short_of_nodes_); }
    /// The tasks that a pass must plan now, by priority, then name, as far as its scope allows.
    [[nodiscard]] std::vector<TaskIndex> take(const Scope& scope) {
        while (!wakes_.empty() && wakes_.begin()->first <= scope.now) {
            add(wakes_.begin()->second);
            wakes_.erase(wakes_.begin());
        }
        if (!scope.held_back) {
            all_due(in_recovery_);
        }
        if (!scope.frozen) {
            all_due(in_freeze_);
        }
        if (!std::exchange(any_with_priority_, false)) {
            // Takes tasks in the order of arrival, so that the rest need not be sorted each time.
            return due_.take(workload_, count_that_fit(due_.all(), scope.most));
        }
        std::vector<TaskIndex> due = due_.take(workload_);
        sort(due);
        for (std::size_t rest = count_that_fit(due, scope.most); rest < due.size(); ++rest) {
            add(due[rest]);
        }
        std::erase_if(due, [&](TaskIndex task) { return due_.contains(task); });
        return due;
    }
    /// All tasks that take() gives once a recovery is over.
    [[nodiscard]] std::span<const TaskIndex> all_after_recovery() {
        all_due(in_recovery_);
        return due_.all();
    }
    /// How many of these a pass can look at.
    [[nodiscard]] std::size_t count_that_fit(std::span<const TaskIndex> list,
                                             std::size_t most) const {
        std::size_t looked_at = 0;
        const auto fit = std::ranges::find_if(list, [&](TaskIndex task) {
            return looked_at >= most || (looked_at += 1 + workload_[task].ordinals(), false);
        });
        return static_cast<std::size_t>(fit - list.begin());
    }
    /// After take(): some tasks are left for the next pass.
    [[nodiscard]] bool is_cut() const { return !due_.empty(); }
    [[nodiscard]] bool is_any_short_of_room() const { return !short_of_room_.empty(); }
    [[nodiscard]] std::vector<TaskIndex> take_short_of_room() {
        return short_of_room_.take(workload_);
    }
    /// By priority, then name.
    void sort(std::vector<TaskIndex>& tasks) const {
        std::ranges::sort(tasks, [&](TaskIndex a, TaskIndex b) {
            const std::int32_t of_a = workload_[a].place.priority;
            const std::int32_t of_b = workload_[b].place.priority;
            return of_a != of_b ? of_a > of_b : workload_.name(a) < workload_.name(b);
        });
    }

private:
    friend struct CoreFields;

    void all_due(TaskList& list) {
        for (const TaskIndex task : list.all()) {
            if (!workload_.name(task).empty()) {
                add(task);
            }
        }
        list.clear();
    }

    const Workload& workload_;
    TaskList due_;
    bool any_with_priority_ = false;  // Set when a task with a priority was added.
    TaskList short_of_nodes_;
    TaskList short_of_room_;  // Until some node has more room.
    TaskList in_recovery_;
    TaskList in_freeze_;
    std::set<std::pair<Instant, TaskIndex>> wakes_;
};

}  // namespace muster::coordinator
