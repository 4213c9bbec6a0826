#include "coordinator/core/ledger/task_table.hpp"

#include <algorithm>

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

std::vector<std::string> names_in(const TaskTable& tasks) {
    std::vector<std::string> names;
    tasks.rows().each([&](const std::string& name, const ProposedTask& /*task*/) {
        if (tasks.proposals().find(name) == nullptr) {
            names.push_back(name);
        }
    });
    tasks.proposals().each([&](const std::string& name, const Proposal<StoredTask>& proposal) {
        if (proposal.row) {
            names.push_back(name);
        }
    });
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace muster::coordinator
