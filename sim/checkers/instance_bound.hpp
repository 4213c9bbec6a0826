#pragma once

#include "sim/checkers/copies.hpp"

namespace muster::sim {

/// S7: when a start is ordered, the task has at most instances + max_surge copies that are not
/// proven gone, including ordered ones. A start that replaces a copy in its place adds none, so it
/// may be ordered while surplus copies still leave. Tasks with `every_node` are not counted.
class InstanceBound : public Checker {
public:
    explicit InstanceBound(const Copies& copies) : copies_{copies} {}

    void on(Instant, const BatchIssued& issued) {
        for (const coordinator::StoredTask& task : issued.store.tasks) {
            if (!copies_.has_added(task.wanted.name) || task.wanted.place.every_node) {
                continue;  // Such a task has one copy on each node.
            }
            const auto bound = task.wanted.instances + task.wanted.spec.update.max_surge;
            const auto copies = copies_.count(task.wanted.name, task.created);
            if (copies > bound) {
                violated("S7", "a start of {} makes {} copies, above {}:{}", task.wanted.name,
                         copies, bound, copies_.list(task.wanted.name));
            }
        }
    }

private:
    const Copies& copies_;
};

}  // namespace muster::sim
