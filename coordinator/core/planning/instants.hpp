#pragma once

#include <cstddef>
#include <vector>

#include "coordinator/core/planning/pass/types.hpp"
#include "coordinator/core/workload/by_index.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// When the present states of tasks and instances began, for explain. Events and decisions are
/// dropped after a while; these times are kept while the task is wanted.
///
/// Owned by Planning.
class Instants {
public:
    /// The task was checked. `is_reported`: an event reports its new phase now.
    void on_phase(TaskIndex index, const Task& task, TaskPhase phase, bool is_reported,
                  CivilMs at) {
        OfTask& entry = of(index, task);
        if (is_reported || entry.phase_since == CivilMs{} || entry.phase != phase) {
            entry.phase = phase;
            entry.phase_since = at;
        }
    }
    void on_order(TaskIndex index, const Task& task, Ordinal ordinal, CivilMs at) {
        if (!task.wanted) {
            return;
        }
        std::vector<CivilMs>& ordered = of(index, task).ordered;
        if (ordered.size() <= ordinal) {
            ordered.resize(ordinal + std::size_t{1});
        }
        ordered[ordinal] = at;
    }

    /// 0: not known, or the phase changed since the last check.
    [[nodiscard]] CivilMs phase_since(TaskIndex index, const Task& task, TaskPhase phase) const {
        const OfTask* const entry = find(index, task);
        return entry != nullptr && entry->phase == phase ? entry->phase_since : CivilMs{};
    }
    /// The time of the last order for the instance. 0: this leadership gave none.
    [[nodiscard]] CivilMs ordered(TaskIndex index, const Task& task, Ordinal ordinal) const {
        const OfTask* const entry = find(index, task);
        return entry != nullptr && ordinal < entry->ordered.size() ? entry->ordered[ordinal]
                                                                   : CivilMs{};
    }

private:
    friend struct CoreFields;

    struct OfTask {
        Generation created{};  // Of the task, because an index may be reused.
        TaskPhase phase{};
        CivilMs phase_since{};
        std::vector<CivilMs> ordered;  // By ordinal.
    };
    OfTask& of(TaskIndex index, const Task& task) {
        OfTask& entry = made_at(tasks_, index);
        if (entry.created != task.created) {
            entry = {};
            entry.created = task.created;
        }
        return entry;
    }
    [[nodiscard]] const OfTask* find(TaskIndex index, const Task& task) const {
        const std::size_t at = raw(index);
        return at < tasks_.size() && tasks_[at].created == task.created ? &tasks_[at] : nullptr;
    }

    std::vector<OfTask> tasks_;  // By TaskIndex.
};

}  // namespace muster::coordinator
