#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "coordinator/core/planning/index/task_list.hpp"
#include "coordinator/core/planning/pass/reading.hpp"

namespace muster::coordinator {

/// The status of each task at its last reading, and the totals.
class TaskStatuses {
public:
    TaskStatuses(const Workload& workload, const Placements& placements,
                 std::optional<Generation> held_back)
        : workload_{workload},
          placements_{placements},
          held_back_{held_back},
          began_at_{held_back.value_or(Generation{})} {}

    /// `reading` is of this task; the rest is as for summarise(). True: the task has fewer strays
    /// than before.
    bool record(TaskIndex index, const Reading& reading, std::span<const Shortage> shortages,
                std::optional<Ordinal> unproven);
    /// The task has no copies any more.
    void forget(TaskIndex index);
    /// A report changed the task since it was recorded.
    void on_touched(TaskIndex index) { stale_.add(index); }
    /// Takes touched tasks, which the caller records: as many as take some milliseconds.
    [[nodiscard]] std::vector<TaskIndex> take_stale();
    /// take_stale() left some tasks, which count as not converged.
    [[nodiscard]] bool is_behind() const { return is_behind_; }
    /// A pass has recorded all touched tasks.
    void on_pass_over();

    /// The task was changed in this leadership, and its copies have not all been healthy at the
    /// same time yet. Its roll-out is not complete, even if no older copy is left.
    [[nodiscard]] bool is_new(TaskIndex index) const {
        const Task& task = workload_[index];
        const bool is_through =
            raw(index) < tasks_.size() && tasks_[raw(index)].was_healthy == task.generation;
        return task.generation > std::max(task.created, began_at_) && !is_through;
    }
    /// Tasks whose roll-out is halted.
    [[nodiscard]] const std::set<TaskIndex>& halted() const { return halted_tasks_; }
    /// The first of these tasks by name; nothing if there is none.
    [[nodiscard]] std::optional<TaskIndex> first_halted() const;
    /// Why instances are missing: as the last pass found, or `recovering` before the first pass.
    [[nodiscard]] std::span<const Shortage> shortages_of(TaskIndex index) const;
    [[nodiscard]] std::uint32_t strays_of(TaskIndex index) const {
        return raw(index) < tasks_.size() ? tasks_[raw(index)].status.strays : 0;
    }
    [[nodiscard]] Totals totals() const;
    /// Over all tasks, in the order of codes, without zero counts.
    [[nodiscard]] std::span<const Shortage> shortages() const { return shortages_; }
    /// A round closed: the tasks that became unplaced before are due for an event.
    void on_round_closed() { unplaced_due_ = unplaced_.all().size(); }
    /// Takes the next of these tasks, at most `most`, in the order of names.
    [[nodiscard]] std::vector<TaskIndex> take_unplaced(std::size_t most);
    [[nodiscard]] bool has_unplaced_due() const { return unplaced_due_ > 0; }
    /// The first task by name with this shortage; nothing if there is none.
    [[nodiscard]] std::optional<TaskIndex> first_short(Obstacle code) const;
    /// The first names of tasks that have not converged, at most `most`.
    [[nodiscard]] std::vector<std::string> first_unconverged(std::size_t most) const;

private:
    friend struct CoreFields;

    struct Recorded {
        TaskStatus status;
        bool counts = false;       // The status is in the totals.
        Generation was_healthy{};  // The last generation of which all copies were healthy at once.
    };

    void count(const TaskStatus& status, std::uint64_t sign);
    void count(const Shortage& shortage, bool adds);

    const Workload& workload_;
    const Placements& placements_;
    std::optional<Generation> held_back_;  // The value for the first pass, until that pass.
    Generation began_at_;                  // The counter of changes when the leadership began.
    std::deque<Recorded> tasks_;           // By TaskIndex. A deque, which moves none as it grows.
    TaskList stale_;
    bool is_behind_ = false;
    TaskList unplaced_;                 // Tasks that became unplaced, without an event yet.
    std::size_t unplaced_due_ = 0;      // This many of them are due for an event.
    std::set<TaskIndex> short_tasks_;   // Tasks with a shortage.
    std::set<TaskIndex> halted_tasks_;  // Tasks whose roll-out is halted.
    Totals totals_;
    std::vector<Shortage> shortages_;
};

}  // namespace muster::coordinator
