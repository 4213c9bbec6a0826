#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "coordinator/core/planning/index/task_list.hpp"
#include "coordinator/core/planning/pass/reading.hpp"

namespace muster::coordinator {

/// The status of each task as of its last reading, and their totals.
class TaskStatuses {
public:
    TaskStatuses(const Workload& workload, const Placements& placements,
                 std::optional<Generation> held_back)
        : workload_{workload},
          placements_{placements},
          held_back_{held_back},
          began_at_{held_back.value_or(Generation{})} {}

    /// `reading` is of this task. True: fewer strays are there than before.
    bool record(TaskIndex index, const Reading& reading, std::span<const Shortage> shortages);
    /// Nothing is left of the task.
    void forget(TaskIndex index);
    /// Something was reported of the task since it was recorded.
    void on_touched(TaskIndex index) { stale_.add(index); }
    /// Those touched, to be recorded: so many that it takes some milliseconds.
    [[nodiscard]] std::vector<TaskIndex> take_stale();
    /// Not all were taken that were touched then: the rest counts as not settled.
    [[nodiscard]] bool is_behind() const { return is_behind_; }
    /// A pass has recorded every task that was touched.
    void on_pass_over();

    /// The task was changed in this leadership, and not all copies of its generation have been
    /// healthy at once yet: a roll-out of it is not over, even if no older copy is left.
    [[nodiscard]] bool is_new(TaskIndex index) const {
        const Task& task = workload_[index];
        const bool is_through =
            raw(index) < tasks_.size() && tasks_[raw(index)].was_healthy == task.generation;
        return task.generation > std::max(task.created, began_at_) && !is_through;
    }
    /// Tasks whose roll-out is halted.
    [[nodiscard]] const std::set<TaskIndex>& halted() const { return halted_tasks_; }
    /// The first of them by name; nothing: there is none.
    [[nodiscard]] std::optional<TaskIndex> first_halted() const;
    /// Why instances are missing: as the last pass found, or as recovery says, before the first.
    [[nodiscard]] std::span<const Shortage> shortages_of(TaskIndex index) const;
    [[nodiscard]] std::uint32_t strays_of(TaskIndex index) const {
        return raw(index) < tasks_.size() ? tasks_[raw(index)].status.strays : 0;
    }
    [[nodiscard]] Totals totals() const;
    /// Over all tasks, in the order of codes; none with count 0.
    [[nodiscard]] std::span<const Shortage> shortages() const { return shortages_; }
    /// A round closed: the tasks that became unplaced since the last are to be told.
    void on_round_closed() { unplaced_to_tell_ = unplaced_.all().size(); }
    /// The next of them, in the order of names; so many at a time.
    [[nodiscard]] std::vector<TaskIndex> take_unplaced(std::size_t most);
    [[nodiscard]] bool is_unplaced_to_tell() const { return unplaced_to_tell_ > 0; }
    /// The first task by name that is short for this reason; nothing if none is.
    [[nodiscard]] std::optional<TaskIndex> first_short(Obstacle code) const;
    /// The names of tasks that are not converged: the first of them, so many at most.
    [[nodiscard]] std::vector<std::string> first_unconverged(std::size_t most) const;

private:
    friend struct CoreFields;

    struct Recorded {
        TaskStatus status;
        bool counts = false;       // In the totals.
        Generation was_healthy{};  // The last of which all copies were, at once.
    };

    void count(const TaskStatus& status, std::uint64_t sign);
    void count(const Shortage& shortage, bool adds);

    const Workload& workload_;
    const Placements& placements_;
    std::optional<Generation> held_back_;  // Until the first pass: as it is to be in that.
    Generation began_at_;                  // The counter of changes when the leadership began.
    std::vector<Recorded> tasks_;          // By TaskIndex.
    TaskList stale_;
    bool is_behind_ = false;
    TaskList unplaced_;                 // Tasks that became unplaced and are not told yet.
    std::size_t unplaced_to_tell_ = 0;  // The first so many became so before the last round closed.
    std::set<TaskIndex> short_tasks_;   // Whose status has a shortage.
    std::set<TaskIndex> halted_tasks_;  // Whose roll-out is halted.
    Totals totals_;
    std::vector<Shortage> shortages_;
};

}  // namespace muster::coordinator
