#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/planning/planner.hpp"

namespace muster::coordinator {

/// A task whose phase is worth an event.
struct PhaseChange {
    std::string task;
    TaskPhase phase{};
};

/// The tasks that have not converged, so that one event reports when they do.
///
/// A task is watched after a change, an order or a shortage. The watch ends when the task has
/// converged and its copies have run for min_healthy, or when it is no longer wanted. Other tasks
/// cost nothing.
class ConvergenceTracker {
public:
    void add(const std::string& task) {
        const auto [entry, is_new] = watched_.emplace(task, LastCheck{});
        // It may have lost a copy and converged again before the next look.
        if (!is_new && entry->second.phase == TaskPhase::converged) {
            entry->second.phase = TaskPhase::placing;
        }
    }
    /// The same after a change: if the roll-out of this version is halted, too, that is news.
    void add_changed(const std::string& task) {
        add(task);
        watched_.at(task).is_halted = false;
    }
    /// Checks the next `most` tasks, in the order of names. Returns those that became converged,
    /// unplaced, halted or failed since their last check. Calls `on_checked(index, phase,
    /// is_reported)` for each checked task.
    [[nodiscard]] std::vector<PhaseChange> take_changes(const Workload& workload,
                                                        const Planner& planner, std::size_t most,
                                                        auto&& on_checked) {
        std::vector<PhaseChange> changes;
        auto entry = watched_.lower_bound(std::exchange(next_, {}));
        for (std::size_t seen = 0; entry != watched_.end(); ++seen) {
            if (seen == most) {
                next_ = entry->first;
                break;
            }
            const auto index = workload.find(entry->first);
            if (!index || !workload[*index].wanted) {
                entry = watched_.erase(entry);
                continue;
            }
            const TaskStatus status = planner.status(*index);
            const TaskPhase phase = status.phase;
            const bool is_reportable = phase == TaskPhase::converged ||
                                       phase == TaskPhase::unplaced || phase == TaskPhase::failed ||
                                       phase == TaskPhase::halted;
            const bool is_reported = is_reportable && phase != entry->second.phase;
            const bool is_halted = status.halted_by.has_value();
            if (is_reported && phase != TaskPhase::halted) {
                changes.push_back({entry->first, phase});
            }
            // A task can be unplaced, too, and its halt is what a person must know.
            if (is_halted && !entry->second.is_halted) {
                changes.push_back({entry->first, TaskPhase::halted});
            }
            on_checked(*index, phase, is_reported);
            entry->second = {phase, is_halted};
            const bool is_over = phase == TaskPhase::converged && status.young == 0;
            entry = is_over ? watched_.erase(entry) : std::next(entry);
        }
        return changes;
    }
    /// All tasks were checked: take_changes() begins with the first again.
    [[nodiscard]] bool is_through() const { return next_.empty(); }
    [[nodiscard]] bool empty() const { return watched_.empty(); }

private:
    friend struct CoreFields;

    struct LastCheck {
        TaskPhase phase = TaskPhase::placing;
        bool is_halted = false;
    };

    std::map<std::string, LastCheck> watched_;
    std::string next_;  // The next task to check; empty: the first.
};

}  // namespace muster::coordinator
