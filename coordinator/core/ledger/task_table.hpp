#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/ids.hpp"
#include "common/spec/spec.hpp"
#include "coordinator/core/ledger/table.hpp"
#include "coordinator/core/rows.hpp"
#include "coordinator/core/workload/workload.hpp"

namespace muster::coordinator {

/// A task as proposed. Valid until the next change.
struct ProposedTask {
    std::uint32_t instances = 0;
    const TaskSpec* spec = nullptr;
    const PlacementRule* place = nullptr;
    Generation generation{};
    Generation created{};
};

/// The durable tasks are the wanted tasks, and only the workload holds them.
template <>
class DurableRows<StoredTask> {
public:
    using View = std::optional<ProposedTask>;

    explicit DurableRows(const Workload& workload) : workload_{workload} {}

    [[nodiscard]] static View view(const StoredTask& row);
    [[nodiscard]] View find(std::string_view name) const;
    void each(auto&& visit) const {
        for (const TaskIndex index : workload_.wanted()) {
            visit(workload_.name(index), *find(workload_.name(index)));
        }
    }

private:
    friend struct CoreFields;

    const Workload& workload_;
};

template <>
struct RowCount<StoredTask> {
    std::size_t tasks = 0;
    std::uint64_t instances = 0;

    void add(const ProposedTask& task) {
        ++tasks;
        instances += task.instances;
    }
    void remove(const ProposedTask& task) {
        --tasks;
        instances -= task.instances;
    }
};

using TaskTable = Table<StoredTask>;

}  // namespace muster::coordinator
