#include "coordinator/core/ledger/task_table.hpp"

namespace muster::coordinator {

std::optional<ProposedTask> DurableRows<StoredTask>::view(const StoredTask& row) {
    return ProposedTask{row.wanted.instances, &row.wanted.spec, &row.wanted.place, row.generation,
                        row.created};
}

std::optional<ProposedTask> DurableRows<StoredTask>::find(std::string_view name) const {
    const auto index = workload_.find(name);
    if (!index || !workload_[*index].wanted) {
        return std::nullopt;
    }
    const Task& task = workload_[*index];
    return ProposedTask{task.instances, &task.spec, &task.place, task.generation, task.created};
}

}  // namespace muster::coordinator
