#include "sim/checkers/instance_bound.hpp"

namespace muster::sim {

void InstanceBound::see(Instant, const BatchIssued& issued) {
    for (const coordinator::StoredTask& task : issued.store.tasks) {
        if (!copies_.has_added(task.wanted.name) || task.wanted.place.every_node) {
            continue;  // Of the latter there is one on each node.
        }
        const auto bound = task.wanted.instances + task.wanted.spec.update.max_surge;
        const auto copies = copies_.count(task.wanted.name, task.created);
        if (copies > bound) {
            violated("S7", "a start of {} makes {} copies, above {}:{}", task.wanted.name, copies,
                     bound, copies_.list(task.wanted.name));
        }
    }
}

}  // namespace muster::sim
