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

/// The tasks that are on their way to what is wanted, so that their arrival can be told once.
///
/// A task is watched from the moment it was changed, ordered about or found short, until it is
/// converged and its copies have run for min_healthy, or it is no longer wanted. Tasks at rest cost
/// nothing.
class ConvergenceTracker {
public:
    void add(const std::string& task) { watched_.emplace(task, TaskPhase::placing); }
    /// Looks at the next so many tasks, in the order of names: those that became converged,
    /// unplaced, halted or failed since they were looked at last. Calls `see(index, phase, is_told)`
    /// for each that it looks at.
    [[nodiscard]] std::vector<PhaseChange> take_changes(const Workload& workload,
                                                        const Planner& planner, std::size_t most,
                                                        auto&& see) {
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
            const bool is_telling = phase == TaskPhase::converged || phase == TaskPhase::unplaced ||
                                    phase == TaskPhase::failed || phase == TaskPhase::halted;
            const bool is_told = is_telling && phase != entry->second;
            if (is_told) {
                changes.push_back({entry->first, phase});
            }
            see(*index, phase, is_told);
            entry->second = phase;
            const bool is_over = phase == TaskPhase::converged && status.young == 0;
            entry = is_over ? watched_.erase(entry) : std::next(entry);
        }
        return changes;
    }
    /// All were looked at, and take_changes() begins with the first again.
    [[nodiscard]] bool is_through() const { return next_.empty(); }
    [[nodiscard]] bool empty() const { return watched_.empty(); }

private:
    friend struct CoreFields;

    std::map<std::string, TaskPhase> watched_;  // With the phase that was told last.
    std::string next_;                          // To be looked at; empty: the first.
};

}  // namespace muster::coordinator
