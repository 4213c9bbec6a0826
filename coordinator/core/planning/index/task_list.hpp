#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "coordinator/core/workload/by_index.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// Tasks that wait for the same thing, each once.
class TaskList {
public:
    void add(TaskIndex task) {
        if (auto is_listed = made_at(listed_, task); !is_listed) {
            is_listed = true;
            tasks_.push_back(task);
        }
    }
    [[nodiscard]] bool empty() const { return tasks_.empty(); }
    [[nodiscard]] bool contains(TaskIndex task) const {
        return raw(task) < listed_.size() && listed_[raw(task)];
    }
    void clear() {
        for (const TaskIndex task : tasks_) {
            listed_[raw(task)] = false;
        }
        tasks_.clear();
    }
    /// In the order of arrival.
    [[nodiscard]] std::span<const TaskIndex> all() const { return tasks_; }
    /// Empties the list. Returns the tasks that still have a name, in the order of names.
    [[nodiscard]] std::vector<TaskIndex> take(const Workload& workload) {
        return take(workload, tasks_.size());
    }
    /// The same for the first `count` tasks.
    [[nodiscard]] std::vector<TaskIndex> take(const Workload& workload, std::size_t count) {
        const auto end = tasks_.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<TaskIndex> taken{tasks_.begin(), end};
        tasks_.erase(tasks_.begin(), end);
        for (const TaskIndex task : taken) {
            listed_[raw(task)] = false;
        }
        std::erase_if(taken, [&](TaskIndex task) { return workload.name(task).empty(); });
        std::ranges::sort(
            taken, {}, [&](TaskIndex task) -> const std::string& { return workload.name(task); });
        return taken;
    }

private:
    friend struct CoreFields;

    std::vector<TaskIndex> tasks_;
    std::vector<bool> listed_;  // By TaskIndex.
};

/// Tasks that take turns, each once. New tasks wait for the next line_up().
class TaskTurns {
public:
    void add(TaskIndex task) {
        if (raw(task) >= queued_.size() || !queued_[raw(task)]) {
            fresh_.add(task);
        }
    }
    /// Appends the new tasks, in the order of names.
    void line_up(const Workload& workload) {
        for (const TaskIndex task : fresh_.take(workload)) {
            made_at(queued_, task) = true;
            turns_.push_back(task);
        }
    }
    [[nodiscard]] bool empty() const { return turns_.empty(); }
    [[nodiscard]] TaskIndex next() {
        const TaskIndex task = turns_.front();
        turns_.pop_front();
        queued_[raw(task)] = false;
        return task;
    }

private:
    friend struct CoreFields;

    TaskList fresh_;
    std::deque<TaskIndex> turns_;
    std::vector<bool> queued_;  // By TaskIndex: the task is in `turns_`.
};

}  // namespace muster::coordinator
