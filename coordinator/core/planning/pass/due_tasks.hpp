#pragma once

#include <set>
#include <utility>
#include <vector>

#include "coordinator/core/planning/index/task_list.hpp"
#include "coordinator/core/planning/pass/types.hpp"

namespace muster::coordinator {

/// Which tasks the next pass looks at, and what the others wait for.
class DueTasks {
public:
    explicit DueTasks(const Workload& workload) : workload_{workload} {}

    /// With the next pass.
    void add(TaskIndex task) { due_.add(task); }
    void wake_at(Instant at, TaskIndex task) { wakes_.emplace(at, task); }
    void wait_for_recovery(TaskIndex task) { in_recovery_.add(task); }
    void wait_for_thaw(TaskIndex task) { in_freeze_.add(task); }
    void wait_for_nodes(TaskIndex task) { short_of_nodes_.add(task); }
    void wait_for_room(TaskIndex task) { short_of_room_.add(task); }

    /// Another node serves, or nodes offer something else.
    void on_nodes_changed() { all_due(short_of_nodes_); }
    /// What a pass has to look at now, by priority, then name, as far as its scope goes.
    [[nodiscard]] std::vector<TaskIndex> take(const Scope& scope);
    /// After take(): something is left for the pass that goes on.
    [[nodiscard]] bool is_cut() const { return !due_.empty(); }
    [[nodiscard]] bool is_any_short_of_room() const { return !short_of_room_.empty(); }
    [[nodiscard]] std::vector<TaskIndex> take_short_of_room() {
        return short_of_room_.take(workload_);
    }
    /// By priority, then name.
    void sort(std::vector<TaskIndex>& tasks) const;

private:
    friend struct CoreFields;  // Which records it.

    void all_due(TaskList& list);

    const Workload& workload_;
    TaskList due_;
    TaskList short_of_nodes_;
    TaskList short_of_room_;  // Until some node has more of it.
    TaskList in_recovery_;
    TaskList in_freeze_;
    std::set<std::pair<Instant, TaskIndex>> wakes_;
};

}  // namespace muster::coordinator
