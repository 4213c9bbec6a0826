#include "coordinator/core/planning/convergence_tracker.hpp"

#include <iterator>
#include <utility>

namespace muster::coordinator {

void ConvergenceTracker::add(const std::string& task) {
    watched_.emplace(task, TaskPhase::placing);
}

std::vector<PhaseChange> ConvergenceTracker::take_changes(const Workload& workload,
                                                          const Planner& planner,
                                                          std::size_t most) {
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
        const TaskPhase phase = planner.status(*index).phase;
        const bool is_telling = phase == TaskPhase::converged || phase == TaskPhase::unplaced ||
                                phase == TaskPhase::failed;
        if (is_telling && phase != entry->second) {
            changes.push_back({entry->first, phase});
        }
        entry->second = phase;
        entry = phase == TaskPhase::converged ? watched_.erase(entry) : std::next(entry);
    }
    return changes;
}

}  // namespace muster::coordinator
